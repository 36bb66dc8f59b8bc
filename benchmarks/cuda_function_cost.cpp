/// \file
/// One CUDA kernel through both doors, `autotune` and a region of one kernel: whether they choose alike, and
/// how long each of them tunes. The kernel adds vectors of 2^20 elements, with 16 configs. Tunings take
/// turns; the printed ratio is the median of the pairs. Exit code 1: a choice whose time, as the other door
/// measured it, is longer than that of the other door's choice by more than 5 %, in more than one of twenty
/// tunings, or a ratio above 1.1.

#include "cuda_common.hpp"
#include "two_doors.hpp"

#include <contextual/kernels/cuda/vector_add.hpp>

#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace contextual;
using namespace contextual::benchmarks;
using kernels::cuda::vector_add;

constexpr long long elements = 1LL << 20;
constexpr double as_fast = 1.05;  ///< within the tie margin and the drift of the device

/// One config of the library's kernel.
struct Variant {
  int id = 0;
};

ConfigSpace<Variant> variants() {
  std::vector<int> ids;
  for (std::size_t id = 0; id < vector_add().space().size(); ++id) {
    ids.push_back(static_cast<int>(id));
  }
  return {{"ID", &Variant::id, std::move(ids)}};
}

CUresult add(const Variant& variant, CUstream stream, float* c, const float* a, const float* b) {
  return vector_add().launch_config(static_cast<std::size_t>(variant.id), stream, c, a, b, elements, true);
}

void load(const Variant& variant) {
  vector_add().load(static_cast<std::size_t>(variant.id));
}

Key key(const CUstream& /*stream*/, float* const& /*c*/, const float* const& /*a*/,
        const float* const& /*b*/) {
  return make_key(elements);
}

Options options() {
  return {.log_directory = "", .cache_directory = "", .timer = cuda_or_host_timer};
}

/// The choice of one door is the other one's, or as fast by its times.
bool agree(const ProblemReport& one, const ProblemReport& other) {
  const auto time = [](const ProblemReport& of, std::size_t id) { return of.configs.at(id).time.centre_ns; };
  return time(one, other.choice) <= as_fast * time(one, one.choice) &&
         time(other, one.choice) <= as_fast * time(other, other.choice);
}

int compare(int tunings) {
  const Stream stream;
  const Buffer<float> a(elements);
  const Buffer<float> b(elements);
  const Buffer<float> c(elements);
  int same = 0;
  int alike = 0;
  const bool well = compare_doors(
      "add", tunings, options(),
      [](const std::string& name) {
        return autotune(name, variants(), key, add, {.kernel = {.load = load}, .options = options()});
      },
      [](const std::string& name) {
        return TunableKernel{name, variants(), key, add, {.load = load}};
      },
      [&](auto& door) { door(stream, c.get(), a.get(), b.get()); },
      [&](const ProblemReport& of_function, const ProblemReport& of_region) {
        const bool agreed = agree(of_function, of_region);
        same += of_function.choice == of_region.choice ? 1 : 0;
        alike += agreed ? 1 : 0;
        return agreed;
      });
  std::printf("the same choice in %d of %d, the same or one as fast in %d\n", same, tunings, alike);
  return well ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  BenchmarkApp app{"One CUDA kernel tuned by autotune and as a region of one kernel"};
  int tunings = 21;
  app.add_option("--tunings", tunings, "How often each door tunes")->check(CLI::Range(1, 1000));
  return run_on_gpu(app, argc, argv, [&] {
    for (std::size_t id = 0; id < vector_add().space().size(); ++id) {
      vector_add().load(id);  // neither door pays for the compiler
    }
    return compare(tunings);
  });
}

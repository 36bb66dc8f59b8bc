/// \file
/// The own GEMM for Hopper, tuned, and a GEMM tuned over that one's configs and cuBLASLt's algorithms, beside
/// cuBLAS with the algorithm that it chooses itself, in turn on the same data.

#include "cuda_common.hpp"
#include "cuda_cublas.hpp"
#include "cuda_turns.hpp"

#include <contextual/kernels/cuda/gemm.hpp>
#include <contextual/kernels/cuda/gemm_implementations.hpp>
#include <contextual/kernels/cuda/half_bits.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace contextual;
using namespace contextual::benchmarks;
using kernels::cuda::GemmArgs;
using kernels::cuda::GemmType;

struct Settings : TurnSettings {
  Settings() : TurnSettings{{"4096x4096x4096", "8192x28672x8192", "8192x11008x4096"}, 21, 10} {}

  bool fp16 = false;
  bool all_configs = false;
};

using Values = Buffer<std::uint16_t>;

/// Of the first and the last elements; both round sums of floats once.
void require_equal(const Stream& stream, const Values& ours, const Values& theirs, bool fp16) {
  stream.wait();
  const std::size_t part = std::min<std::size_t>(ours.size(), 1 << 20);
  const auto from_bits = fp16 ? kernels::cuda::from_fp16 : kernels::cuda::from_bf16;
  for (const std::size_t first : {std::size_t{0}, ours.size() - part}) {
    require_less(difference(ours.download(first, part), theirs.download(first, part), from_bits), 5e-3);
  }
}

/// By their own times in the tuning, the fastest in front.
void print_configs(const ProblemReport& problem) {
  std::vector<ConfigReport> configs = problem.configs;
  std::sort(configs.begin(), configs.end(),
            [](const ConfigReport& x, const ConfigReport& y) { return x.time.centre_ns < y.time.centre_ns; });
  std::printf("  %s %s\n", problem.kernel.c_str(), problem.key.c_str());
  for (const ConfigReport& config : configs) {
    std::printf("  %9.1f us  config-%zu %s %s\n", config.time.centre_ns / 1e3, config.config_id,
                config.config.to_string().c_str(),
                config.rejection.value_or(config.left_out ? "left out" : "").c_str());
  }
}

void compare_shape(const ProductShape& shape, const Settings& settings) {
  const Stream stream;
  const Cublas cublas(stream);
  const RandomMatrix a(shape.m, shape.k, settings.fp16, 1);
  const RandomMatrix b(shape.n, shape.k, settings.fp16, 2);
  const Values ours(element_count(shape.m, shape.n));
  const Values theirs(ours.size());
  const GemmArgs args{.a = a.get(),
                      .b = b.get(),
                      .c = ours.get(),
                      .m = shape.m,
                      .n = shape.n,
                      .k = shape.k,
                      .type = settings.fp16 ? GemmType::fp16 : GemmType::bf16};
  std::printf("\n%d x %d x %d\n", shape.m, shape.n, shape.k);
  cublas.gemm(args, theirs.get());
  Turns turns(stream);
  turns.tune("own", [&] { kernels::cuda::gemm()(stream, args); });
  require_equal(stream, ours, theirs, settings.fp16);
  turns.tune("any", [&] { kernels::cuda::gemm_implementations(stream, args); });
  require_equal(stream, ours, theirs, settings.fp16);
  const Report report = turns.report();
  for (const RegionReport& region : report.runs) {
    for (std::size_t i = 0; settings.all_configs && i < region.problems.size(); ++i) {
      print_configs(region.problems[i]);
    }
  }
  turns.add("cuBLAS", [&] { cublas.gemm(args, theirs.get()); });
  const std::vector<double> over_cublas = turns.run(settings.rounds, settings.launches);
  goal_at_most("the own GEMM's time over cuBLAS's", over_cublas[0], 1 / 0.85, "");
  goal_at_most("that of any implementation over cuBLAS's", over_cublas[1], 1 / 0.99, "");
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  BenchmarkApp app{"The own GEMM, tuned, beside cuBLAS"};
  app.add_option("--shapes", settings.shapes, "MxNxK, ...")->delimiter(',');
  add_turn_options(app, settings);
  app.add_flag("--fp16", settings.fp16, "instead of bf16");
  app.add_flag("--all-configs", settings.all_configs, "the time of every config while tuning");
  return run_on_gpu(app, argc, argv, [&] {
    for (const std::string& shape : settings.shapes) {
      compare_shape(ProductShape(shape), settings);
    }
    return 0;
  });
}

#include "search/made_up/models.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace search_replay::made_up {
namespace {

constexpr int coarse_step = 32;
constexpr int fine_step = 4;
constexpr std::int64_t tile_count = 12;

/// What a search is given of the fine numbers.
enum class FineNumbers { none, as_refinements, as_all_others };

/// The default takes the whole device.
std::vector<int> coarse_numbers() {
  std::vector<int> numbers{device_sms};
  for (int sms = coarse_step; sms < device_sms - fine_step; sms += coarse_step) {
    numbers.push_back(sms);
  }
  return numbers;
}

std::vector<int> fine_numbers() {
  const std::vector<int> coarse = coarse_numbers();
  std::vector<int> numbers;
  for (int sms = fine_step; sms < device_sms; sms += fine_step) {
    if (std::find(coarse.begin(), coarse.end(), sms) == coarse.end()) {
      numbers.push_back(sms);
    }
  }
  return numbers;
}

/// Coarse numbers first. With s multiprocessors the work takes 1 / s of its time, and a part that does not
/// depend on them.
Kernel fine_kernel(const std::string& name, double work_ns, RandomNumbers& random) {
  const double fixed_ns = work_ns * random.uniform(0.02, 0.1);
  std::vector<double> tiles;
  for (std::int64_t tile = 0; tile < tile_count; ++tile) {
    tiles.push_back(1 + random.exponential(0.15));
  }
  Kernel kernel{name, {}};
  for (const std::vector<int>& numbers : {coarse_numbers(), fine_numbers()}) {
    for (std::int64_t tile = 0; tile < tile_count; ++tile) {
      for (const int sms : numbers) {
        KernelConfig config;
        config.parameters = {{"TILE", tile}, {"NUM_SMS", sms}};
        config.sms = sms;
        config.alone_ns = fixed_ns + work_ns * tiles[static_cast<std::size_t>(tile)] * device_sms / sms;
        kernel.configs.push_back(std::move(config));
      }
    }
  }
  return kernel;
}

void keep_given(Kernel& kernel, FineNumbers fine) {
  const std::size_t coarse_count = coarse_numbers().size() * static_cast<std::size_t>(tile_count);
  if (fine == FineNumbers::none) {
    kernel.configs.resize(coarse_count);
  } else if (fine == FineNumbers::as_refinements) {
    kernel.refinement_count = kernel.configs.size() - coarse_count;
  }
}

std::optional<Times> times_beside(const Kernels& kernels, const Assignment& assignment) {
  if (occupied_sms(kernels, assignment) > device_sms) {
    return std::nullopt;
  }
  Times times = times_alone(kernels, assignment);
  times.makespan_ns = *std::max_element(times.own_ns.begin(), times.own_ns.end());
  return times;
}

std::unique_ptr<Model> make_grids(FineNumbers fine, RandomNumbers& random) {
  const double scale_ns = random.log_uniform(80e3, 3e6);
  Kernels kernels;
  kernels.push_back(fine_kernel("kernel_0", scale_ns, random));
  kernels.push_back(fine_kernel("kernel_1", scale_ns * random.uniform(0.05, 1), random));
  const double best_ns = least_of_first_pairs(kernels, times_beside);
  for (Kernel& kernel : kernels) {
    keep_given(kernel, fine);
  }
  return std::make_unique<Model>(std::move(kernels), times_beside, best_ns);
}

}  // namespace

std::unique_ptr<Model> make_fine_grids(RandomNumbers& random) {
  return make_grids(FineNumbers::as_refinements, random);
}

std::unique_ptr<Model> make_fine_grids_coarse(RandomNumbers& random) {
  return make_grids(FineNumbers::none, random);
}

std::unique_ptr<Model> make_fine_grids_all(RandomNumbers& random) {
  return make_grids(FineNumbers::as_all_others, random);
}

}  // namespace search_replay::made_up

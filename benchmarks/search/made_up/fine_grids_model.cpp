#include "search/made_up/fine_grids_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace search_replay::made_up {
namespace {

constexpr int coarse_step = 32;
constexpr int fine_step = 4;
constexpr std::int64_t tile_count = 12;

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

std::vector<Kernel> fine_kernels(RandomNumbers& random) {
  const double scale_ns = random.log_uniform(80e3, 3e6);
  std::vector<Kernel> kernels;
  kernels.push_back(fine_kernel("kernel_0", scale_ns, random));
  kernels.push_back(fine_kernel("kernel_1", scale_ns * random.uniform(0.05, 1), random));
  return kernels;
}

std::vector<Kernel> given(std::vector<Kernel> kernels, FineGridsModel::FineNumbers fine) {
  const auto coarse_count =
      static_cast<std::ptrdiff_t>(coarse_numbers().size()) * static_cast<std::ptrdiff_t>(tile_count);
  for (Kernel& kernel : kernels) {
    if (fine == FineGridsModel::FineNumbers::none) {
      kernel.configs.erase(kernel.configs.begin() + coarse_count, kernel.configs.end());
    } else if (fine == FineGridsModel::FineNumbers::as_refinements) {
      kernel.refinement_count = kernel.configs.size() - static_cast<std::size_t>(coarse_count);
    }
  }
  return kernels;
}

double best_of(const std::vector<Kernel>& kernels) {
  double best_ns = std::numeric_limits<double>::infinity();
  for (const KernelConfig& first : kernels[0].configs) {
    for (const KernelConfig& second : kernels[1].configs) {
      if (first.sms + second.sms <= device_sms) {
        best_ns = std::min(best_ns, std::max(first.alone_ns, second.alone_ns));
      }
    }
  }
  return best_ns;
}

}  // namespace

FineGridsModel::FineGridsModel(FineNumbers fine, RandomNumbers& random)
    : FineGridsModel(fine, fine_kernels(random)) {}

FineGridsModel::FineGridsModel(FineNumbers fine, std::vector<Kernel> all)
    : Model(given(all, fine)), best_ns_(best_of(all)) {}

std::optional<Times> FineGridsModel::times(const Assignment& assignment) const {
  Times times = times_alone(assignment);
  int sms = 0;
  for (std::size_t p = 0; p < assignment.size(); ++p) {
    sms += config(p, assignment[p]).sms;
    times.makespan_ns = std::max(times.makespan_ns, times.own_ns[p]);
  }
  return sms <= device_sms ? std::optional(std::move(times)) : std::nullopt;
}

}  // namespace search_replay::made_up

#include "search/made_up/kind.hpp"

#include "search/made_up/fine_grids_model.hpp"
#include "search/made_up/helping_pairs_model.hpp"
#include "search/made_up/infeasible_pairs_model.hpp"
#include "search/made_up/pair_table_model.hpp"
#include "search/made_up/shared_sms_model.hpp"
#include "search/made_up/streams_model.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace search_replay::made_up {
namespace {

/// 2 to 6 kernels. The longest take 80 us to 3 ms, the shortest a fifth of that.
std::vector<Kernel> make_kernels(RandomNumbers& random) {
  const double scale_ns = random.log_uniform(80e3, 3e6);
  std::vector<Kernel> kernels(2 + random.below(5));
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    kernels[k] = make_kernel("kernel_" + std::to_string(k), scale_ns * random.uniform(0.2, 1), random);
  }
  return kernels;
}

std::unique_ptr<Model> on_streams(std::vector<Kernel> kernels, RandomNumbers& random) {
  const std::size_t most = std::min<std::size_t>(3, kernels.size());
  const std::size_t streams = 2 + random.below(most - 1);
  return std::make_unique<StreamsModel>(std::move(kernels), streams);
}

std::unique_ptr<Model> make_streams(RandomNumbers& random) {
  return on_streams(make_kernels(random), random);
}

std::unique_ptr<Model> make_shared_sms(RandomNumbers& random) {
  return std::make_unique<SharedSmsModel>(make_kernels(random));
}

std::unique_ptr<Model> make_helping_pairs(RandomNumbers& random) {
  return std::make_unique<HelpingPairsModel>(make_kernels(random), random);
}

template <InfeasiblePairsModel::Defaults defaults>
std::unique_ptr<Model> make_infeasible_pairs(RandomNumbers& random) {
  return std::make_unique<InfeasiblePairsModel>(make_kernels(random), defaults, random);
}

template <FineGridsModel::FineNumbers fine>
std::unique_ptr<Model> make_fine_grids(RandomNumbers& random) {
  return std::make_unique<FineGridsModel>(fine, random);
}

/// A third of the configs of each kernel are equally fast, a third are 10 % slower, a third 20 %.
std::unique_ptr<Model> make_ties(RandomNumbers& random) {
  std::vector<Kernel> kernels = make_kernels(random);
  for (Kernel& kernel : kernels) {
    const double best_ns = fastest_ns(kernel);
    for (KernelConfig& config : kernel.configs) {
      config.alone_ns = best_ns * (1 + 0.1 * static_cast<double>(random.below(3)));
    }
  }
  return on_streams(std::move(kernels), random);
}

constexpr std::array kinds{
    Kind{"streams", "the longest of streams that do not disturb each other", make_streams},
    Kind{"shared_sms", "kernels at the same time that share multiprocessors", make_shared_sms},
    Kind{"helping_pairs", "configs that help only together", make_helping_pairs},
    Kind{"infeasible_pairs", "40 % infeasible pairs",
         make_infeasible_pairs<InfeasiblePairsModel::Defaults::feasible>},
    Kind{"infeasible_defaults", "40 % infeasible pairs, the defaults among them",
         make_infeasible_pairs<InfeasiblePairsModel::Defaults::infeasible>},
    Kind{"ties", "streams of kernels with many equal configs", make_ties},
    Kind{"drift", "streams on a device that slows down by 3 %", make_streams, 0.03},
    Kind{"late_problem", "streams, and the last kernel is launched from run 100 on", make_streams, 0, 100},
    Kind{"fine_grids", "numbers of multiprocessors between those of a coarse grid, as refinements",
         make_fine_grids<FineGridsModel::FineNumbers::as_refinements>},
    Kind{"fine_grids_coarse", "the same regions, with the coarse grid only",
         make_fine_grids<FineGridsModel::FineNumbers::none>},
    Kind{"fine_grids_all", "the same regions, with all numbers as ordinary configs",
         make_fine_grids<FineGridsModel::FineNumbers::as_all_others>},
    Kind{"close_pairs", "8 and 28 configs, 40 % infeasible, few pairs near the best, some with two values",
         make_close_pairs, 0, 0, 0.003, 0.01},
    Kind{"racing_streams", "two kernels that race for the device unless they fit side by side",
         make_racing_streams, 0, 0, 0.0005, 0.005},
};

}  // namespace

std::span<const Kind> all_kinds() {
  return kinds;
}

}  // namespace search_replay::made_up

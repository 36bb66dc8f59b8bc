#include "search/made_up/kind.hpp"

#include "search/made_up/models.hpp"

#include <array>

namespace search_replay::made_up {
namespace {

constexpr std::array kinds{
    Kind{"streams", "the longest of streams that do not disturb each other", make_streams},
    Kind{"shared_sms", "kernels at the same time that share multiprocessors", make_shared_sms},
    Kind{"helping_pairs", "configs that help only together", make_helping_pairs},
    Kind{"infeasible_pairs", "40 % infeasible pairs", make_infeasible_pairs},
    Kind{"infeasible_defaults", "40 % infeasible pairs, the defaults among them", make_infeasible_defaults},
    Kind{"ties", "streams of kernels with many equal configs", make_ties},
    Kind{"drift", "streams on a device that slows down by 3 %", make_streams, 0.03},
    Kind{"late_problem", "streams, and the last kernel is launched from run 100 on", make_streams, 0, 100},
    Kind{"fine_grids", "numbers of multiprocessors between those of a coarse grid, as refinements",
         make_fine_grids},
    Kind{"fine_grids_coarse", "the same regions, with the coarse grid only", make_fine_grids_coarse},
    Kind{"fine_grids_all", "the same regions, with all numbers as ordinary configs", make_fine_grids_all},
    Kind{"close_pairs", "8 and 28 configs, 40 % infeasible, few pairs near the best, some with two values",
         make_close_pairs, 0, 0, 0.003, 0.01},
    Kind{"two_best", "8 and 28 configs, 84 of 224 pairs infeasible, two that are 4 % better than all others",
         make_two_best, 0, 0, 0.003, 0.01},
    Kind{"racing_streams", "two kernels that race for the device unless they fit side by side",
         make_racing_streams, 0, 0, 0.0005, 0.005},
};

}  // namespace

std::span<const Kind> all_kinds() {
  return kinds;
}

}  // namespace search_replay::made_up

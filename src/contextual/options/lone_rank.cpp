#include "contextual/options/lone_rank.hpp"

namespace contextual::options {

std::optional<std::string> lone_rank_warning(const ResolvedOptions& options,
                                             const std::optional<detail::LaunchedRank>& launched) {
  if (options.communicator_given || !launched) {
    return std::nullopt;
  }
  return "this program was started as " + std::to_string(launched->size) + " ranks (" +
         launched->size_variable +
         "), but its tuner was given no communicator: every rank tunes alone, and "
         "they may choose differently. Set the option `communicator`, such as to contextual::mpi_world() of "
         "contextual/mpi.hpp, or to contextual::one_rank() if that is meant";
}

}  // namespace contextual::options

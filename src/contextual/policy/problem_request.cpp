#include "contextual/policy/problem_request.hpp"

#include <contextual/error.hpp>

#include <algorithm>
#include <string>

namespace contextual::policy {

void check_request(const ProblemRequest& request) {
  if (request.config_count == 0) {
    throw InvalidArgument("tuning problem with 0 configs: it needs at least its default config");
  }
  if (!request.left_out.empty() && request.left_out.size() != request.config_count) {
    throw InvalidArgument("tuning problem with " + std::to_string(request.config_count) + " configs and " +
                          std::to_string(request.left_out.size()) +
                          " entries in left_out: give one per config, or none");
  }
  if (request.refinement_count >= request.config_count) {
    throw InvalidArgument("tuning problem with " + std::to_string(request.config_count) + " configs, " +
                          std::to_string(request.refinement_count) +
                          " of which are refinements: its default is none");
  }
  if (request.locked_config && *request.locked_config >= request.config_count) {
    throw InvalidArgument("tuning problem with " + std::to_string(request.config_count) +
                          " configs locked to config-" + std::to_string(*request.locked_config) +
                          ", which does not exist");
  }
  for (const std::optional<std::size_t>& chosen : request.chosen_elsewhere) {
    if (chosen.value_or(0) >= request.config_count) {
      throw InvalidArgument("tuning problem with " + std::to_string(request.config_count) +
                            " configs, for which config-" + std::to_string(*chosen) +
                            " was chosen elsewhere, which does not exist");
    }
  }
}

std::vector<bool> left_out_of(const ProblemRequest& request) {
  std::vector<bool> left_out = request.left_out;
  left_out.resize(request.config_count, false);
  if (std::find(left_out.begin(), left_out.end(), false) == left_out.end()) {
    left_out[0] = false;
  }
  return left_out;
}

}  // namespace contextual::policy

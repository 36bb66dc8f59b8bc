#include "contextual/agreement/starting_point.hpp"

#include <contextual/config.hpp>

#include <algorithm>

namespace contextual::agreement {

std::optional<std::size_t> config_of(const StartingPoint& point, const detail::Problem& problem,
                                     const std::vector<Config>* parameters) {
  const auto chosen = std::find_if(point.begin(), point.end(), [&](const storage::KeptChoice& choice) {
    return choice.kernel == problem.name && choice.key == problem.key && choice.scope == problem.scope;
  });
  if (chosen == point.end()) {
    return std::nullopt;
  }
  const Config config = Config::from_json(chosen->config);
  if (parameters == nullptr || config.empty()) {
    return chosen->config_count == problem.config_count ? std::optional(chosen->config_id) : std::nullopt;
  }
  const auto same = std::find(parameters->begin(), parameters->end(), config);
  return same == parameters->end() ? std::nullopt : std::optional<std::size_t>(same - parameters->begin());
}

}  // namespace contextual::agreement

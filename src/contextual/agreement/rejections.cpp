#include "contextual/agreement/rejections.hpp"

#include "contextual/agreement/details_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace contextual::agreement {

using nlohmann::json;
using policy::RejectionOutcome;

std::vector<RejectionOutcome> gather_rejections(Exchange& exchange,
                                                const std::vector<RejectionOutcome>& own) {
  json list = json::array();
  for (const RejectionOutcome& rejection : own) {
    list.push_back({rejection.problem, rejection.config_id, rejection.batch_iteration, rejection.reason});
  }
  const auto all = exchange.gather(details_text(list));
  std::map<std::pair<std::size_t, std::size_t>, RejectionOutcome> merged;  // ordered: equal on all ranks
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const std::string prefix = all.size() > 1 ? "rank " + std::to_string(rank) + ": " : "";
    for (const json& entry : json::parse(all[rank])) {
      RejectionOutcome rejection{entry[0], entry[1], entry[2], prefix + entry[3].get<std::string>()};
      const auto [place, added] = merged.try_emplace({rejection.problem, rejection.config_id}, rejection);
      if (!added) {
        place->second.batch_iteration = std::min(place->second.batch_iteration, rejection.batch_iteration);
        place->second.reason += "; " + rejection.reason;
      }
    }
  }
  std::vector<RejectionOutcome> rejections;
  rejections.reserve(merged.size());
  for (auto& [id, rejection] : merged) {
    rejections.push_back(std::move(rejection));
  }
  return rejections;
}

}  // namespace contextual::agreement

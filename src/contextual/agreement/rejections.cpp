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

std::string words_of_rank(std::size_t rank, std::size_t rank_count, const std::string& words) {
  return rank_count > 1 ? "rank " + std::to_string(rank) + ": " + words : words;
}

Rejected gather_rejections(Exchange& exchange, const Rejected& own) {
  json configs = json::array();
  for (const RejectionOutcome& rejection : own.configs) {
    configs.push_back({rejection.problem, rejection.config_id, rejection.batch_iteration, rejection.reason,
                       rejection.left_out});
  }
  json iterations = json::array();
  for (const InfeasibleIteration& infeasible : own.iterations) {
    iterations.push_back({infeasible.batch_iteration, infeasible.reason});
  }
  const auto all = exchange.gather(details_text({{"configs", configs}, {"iterations", iterations}}));
  std::map<std::pair<std::size_t, std::size_t>, RejectionOutcome> merged;  // ordered: equal on all ranks
  std::map<std::size_t, std::string> reasons;                              // by iteration
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const json told = json::parse(all[rank]);
    for (const json& entry : told.at("configs")) {
      RejectionOutcome rejection{entry[0], entry[1],
                                 entry[2], words_of_rank(rank, all.size(), entry[3]),
                                 entry[4], {static_cast<int>(rank)}};
      const auto [place, added] = merged.try_emplace({rejection.problem, rejection.config_id}, rejection);
      if (!added) {
        place->second.batch_iteration = std::min(place->second.batch_iteration, rejection.batch_iteration);
        place->second.reason += "; " + rejection.reason;
        place->second.ranks.push_back(static_cast<int>(rank));
        place->second.left_out = place->second.left_out && rejection.left_out;
      }
    }
    for (const json& entry : told.at("iterations")) {
      std::string& reason = reasons[entry[0]];
      reason += (reason.empty() ? "" : "; ") + words_of_rank(rank, all.size(), entry[1]);
    }
  }
  Rejected rejected;
  rejected.configs.reserve(merged.size());
  for (auto& [id, rejection] : merged) {
    rejected.configs.push_back(std::move(rejection));
  }
  rejected.iterations.reserve(reasons.size());
  for (auto& [iteration, reason] : reasons) {
    rejected.iterations.push_back({iteration, std::move(reason)});
  }
  return rejected;
}

}  // namespace contextual::agreement

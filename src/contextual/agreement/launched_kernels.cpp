#include "contextual/agreement/launched_kernels.hpp"

#include "contextual/agreement/details_text.hpp"

#include <contextual/detail/launch/kernel_core.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace contextual::agreement {

using detail::ProblemSlot;
using nlohmann::json;
using storage::ChosenKernel;

bool LaunchedProblem::alike() const {
  return std::none_of(kernels.begin(), kernels.end(), [&](const ChosenKernel& kernel) {
    return std::any_of(kernels.begin(), kernels.end(), [&](const ChosenKernel& other) {
      return other.name == kernel.name && other.table_digest != kernel.table_digest;
    });
  });
}

std::string launched_text(const detail::RunContext& context) {
  json launched = json::array();
  for (const ProblemSlot& slot : context.slots()) {
    for (const auto& member : slot.found.members) {
      launched.push_back({slot.problem.name, slot.problem.key.hash(), slot.problem.scope,
                          member->traits().name, member->table_digest(), member->traits().works_on_stream(),
                          member->origin()});
    }
  }
  return details_text(launched);
}

LaunchedKernels::LaunchedKernels(const std::vector<std::string>& texts) {
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    for (const json& item : json::parse(texts[rank])) {
      LaunchedProblem& problem = problems_[{item.at(0).get<std::string>(), item.at(1).get<std::uint64_t>(),
                                            item.at(2).get<std::uint64_t>()}];
      const ChosenKernel kernel{item.at(3).get<std::string>(), item.at(4).get<std::uint64_t>(),
                                item.at(6).get<std::string>()};
      if (std::find(problem.kernels.begin(), problem.kernels.end(), kernel) == problem.kernels.end()) {
        problem.kernels.push_back(kernel);
      }
      if (problem.ranks.empty() || problem.ranks.back() != rank) {
        problem.ranks.push_back(rank);
      }
      problem.on_stream = problem.on_stream || item.at(5).get<bool>();
    }
  }
  for (auto& [name, problem] : problems_) {
    if (problem.ranks.size() == texts.size()) {
      problem.ranks.clear();
    }
  }
}

const LaunchedProblem& LaunchedKernels::of(const ProblemSlot& slot) const {
  static const LaunchedProblem nothing;
  const auto found = problems_.find({slot.problem.name, slot.problem.key.hash(), slot.problem.scope});
  return found == problems_.end() ? nothing : found->second;
}

}  // namespace contextual::agreement

#include "contextual/agreement/known_spaces.hpp"

#include "contextual/agreement/details_text.hpp"

#include <contextual/detail/launch/kernel_core.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace contextual::agreement {

using detail::ProblemSlot;
using nlohmann::json;

namespace {

/// Of a kernel of this rank, which stays alive meanwhile.
KnownSpaces::Configs configs_here(const ProblemSlot& slot) {
  const auto& kernel = slot.found.members.front();
  return {kernel, &kernel->space().configs};
}

json told(const std::vector<Config>& configs) {
  json texts = json::array();
  for (const Config& config : configs) {
    texts.push_back(config.to_json());
  }
  return texts;
}

KnownSpaces::Configs configs_of(const json& texts) {
  std::vector<Config> configs;
  configs.reserve(texts.size());
  for (const json& text : texts) {
    configs.push_back(Config::from_json(text.get<std::string>()));
  }
  return std::make_shared<const std::vector<Config>>(std::move(configs));
}

}  // namespace

KnownSpaces::Configs KnownSpaces::find(std::uint64_t digest) const {
  const auto known = spaces_.find(digest);
  return known == spaces_.end() ? nullptr : known->second;
}

void KnownSpaces::add(const ProblemSlot& slot) {
  if (slot.problem.coupling.empty()) {
    spaces_.try_emplace(slot.problem.space_digest, configs_here(slot));
  }
}

void KnownSpaces::add(const Owners& owners, const std::vector<ProblemSlot*>& own, Exchange& exchange) {
  json telling = json::array();
  bool any_lacks = false;
  for (const auto& [digest, ranks] : owners) {
    if (spaces_.contains(digest)) {
      continue;
    }
    const auto here = std::find_if(own.begin(), own.end(), [digest = digest](const ProblemSlot* slot) {
      return slot->problem.coupling.empty() && slot->problem.space_digest == digest;
    });
    if (ranks.size() == static_cast<std::size_t>(exchange.size())) {
      add(**here);
      continue;
    }
    any_lacks = true;
    if (ranks.front() == static_cast<std::size_t>(exchange.rank())) {
      telling.push_back({digest, told(*configs_here(**here))});
    }
  }
  if (!any_lacks) {
    return;
  }
  for (const std::string& text : exchange.gather(details_text(telling))) {
    for (const json& space : json::parse(text)) {
      spaces_[space.at(0).get<std::uint64_t>()] = configs_of(space.at(1));
    }
  }
}

}  // namespace contextual::agreement

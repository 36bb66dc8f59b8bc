#include "contextual/autotuner/joining.hpp"

#include "contextual/autotuner/details_text.hpp"
#include "contextual/autotuner/majority.hpp"

#include <contextual/detail/stable_hash.hpp>
#include <contextual/error.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <tuple>

namespace contextual::autotuner {

using detail::ProblemSlot;
using nlohmann::json;

std::vector<ProblemSlot*> newly_seen(detail::RunContext& context, bool shared) {
  std::vector<ProblemSlot*> problems;
  const auto wanted = [&](const ProblemSlot& slot) { return !slot.state_index && slot.shared() == shared; };
  for (const detail::LaunchRecord& record : context.threads().front().records) {
    if (wanted(*record.slot) && std::find(problems.begin(), problems.end(), record.slot) == problems.end()) {
      problems.push_back(record.slot);
    }
  }
  const auto of_workers = static_cast<std::ptrdiff_t>(problems.size());
  for (ProblemSlot& slot : context.slots()) {
    if (wanted(slot) && std::find(problems.begin(), problems.end(), &slot) == problems.end()) {
      problems.push_back(&slot);
    }
  }
  std::sort(problems.begin() + of_workers, problems.end(), [](const ProblemSlot* a, const ProblemSlot* b) {
    return std::tie(a->name, a->key_text, a->identity) < std::tie(b->name, b->key_text, b->identity);
  });
  return problems;
}

std::uint64_t problems_digest(const std::vector<ProblemSlot*>& problems) {
  detail::StableHash hash;
  for (const ProblemSlot* slot : problems) {
    hash.add(slot->identity).add(std::uint64_t{slot->has_prepare});
    hash.add(slot->locked_config ? *slot->locked_config + 1 : 0);
    for (const bool pruned : slot->pruned) {
      hash.add(std::uint64_t{pruned});
    }
  }
  return hash.value();
}

std::string problem_details(const std::vector<ProblemSlot*>& problems) {
  json list = json::array();
  for (const ProblemSlot* slot : problems) {
    json pruned = json::array();
    for (std::size_t id = 0; id < slot->pruned.size(); ++id) {
      if (slot->pruned[id]) {
        pruned.push_back(id);
      }
    }
    list.push_back({{"name", slot->name},
                    {"key", slot->key_text},
                    {"coupling", slot->coupling},
                    {"participation", static_cast<int>(slot->participation)},
                    {"configs", slot->config_count},
                    {"space", slot->space_digest},
                    {"identity", slot->identity},
                    {"prepare", slot->has_prepare},
                    {"locked", slot->locked_config ? static_cast<std::int64_t>(*slot->locked_config) : -1},
                    {"pruned", std::move(pruned)}});
  }
  return details_text(list);
}

namespace {

ProblemSlot& find_or_add(detail::RunContext& context, const json& described) {
  const auto identity = described.at("identity").get<std::uint64_t>();
  for (ProblemSlot& slot : context.slots()) {
    if (slot.identity == identity) {
      return slot;
    }
  }
  ProblemSlot& slot = context.add_remote(described.at("name"), described.at("configs").get<std::size_t>());
  slot.identity = identity;
  slot.key_text = described.at("key");
  slot.coupling = described.at("coupling");
  slot.participation = static_cast<Participation>(described.at("participation").get<int>());
  slot.space_digest = described.at("space");
  slot.pruned.assign(slot.config_count, false);
  return slot;
}

/// What a rank says of a kernel and key that its namesakes on other ranks must say too; empty: nothing.
std::string definition_of(const json& problems, const ProblemSlot& slot) {
  std::string text;
  for (const json& described : problems) {
    if (described.at("name").get<std::string>() == slot.name &&
        described.at("key").get<std::string>() == slot.key_text) {
      text += described.at("space").dump() + " " + described.at("participation").dump() + " ";
    }
  }
  return text;
}

void check_namesakes(const detail::RunContext& context, const std::vector<ProblemSlot*>& united,
                     const ProblemSlot& slot, std::size_t rank, const std::vector<json>& ranks) {
  for (const ProblemSlot* other : united) {
    if (other != &slot && other->name == slot.name && other->key_text == slot.key_text) {
      std::vector<std::string> definitions;
      definitions.reserve(ranks.size());
      for (const json& problems : ranks) {
        definitions.push_back(definition_of(problems, slot));
      }
      throw RankMismatchError("region \"" + context.region() + "\", by tuning iteration " +
                                  std::to_string(context.tuning_iteration) + ": kernel \"" + slot.name +
                                  "\", key " + slot.key_text + ": rank " + std::to_string(rank) +
                                  " has another config space or participation than a rank before it (" +
                                  std::to_string(slot.config_count) + " and " +
                                  std::to_string(other->config_count) +
                                  " configs): define it alike on all ranks",
                              majority_of(definitions).differing);
    }
  }
}

}  // namespace

std::vector<ProblemSlot*> unite(detail::RunContext& context, const std::vector<ProblemSlot*>& own,
                                const std::vector<std::string>& details) {
  std::vector<ProblemSlot*> united;
  std::vector<std::optional<std::int64_t>> locked;
  for (ProblemSlot* slot : own) {
    std::fill(slot->pruned.begin(), slot->pruned.end(), false);  // own ones come back with the details
  }
  std::vector<json> ranks;
  ranks.reserve(details.size());
  for (const std::string& text : details) {
    ranks.push_back(json::parse(text));
  }
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (const json& described : ranks[rank]) {
      ProblemSlot& slot = find_or_add(context, described);
      const auto place = std::find(united.begin(), united.end(), &slot);
      const auto index = static_cast<std::size_t>(place - united.begin());
      const std::int64_t locked_here = described.at("locked");
      if (place == united.end()) {
        check_namesakes(context, united, slot, rank, ranks);
        united.push_back(&slot);
        locked.emplace_back(locked_here);
      } else if (locked[index] != locked_here) {
        locked[index] = -1;
      }
      slot.has_prepare = slot.has_prepare || described.at("prepare").get<bool>();
      for (const std::size_t id : described.at("pruned").get<std::vector<std::size_t>>()) {
        slot.pruned.at(id) = true;
      }
    }
  }
  for (std::size_t i = 0; i < united.size(); ++i) {
    const bool all_say_so = *locked[i] >= 0;
    united[i]->locked_config = all_say_so ? std::optional<std::size_t>(*locked[i]) : std::nullopt;
  }
  return united;
}

}  // namespace contextual::autotuner

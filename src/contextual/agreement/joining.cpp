#include "contextual/agreement/joining.hpp"

#include "contextual/agreement/details_text.hpp"
#include "contextual/agreement/majority.hpp"
#include "contextual/agreement/space_difference.hpp"

#include <contextual/detail/config/stable_hash.hpp>
#include <contextual/error.hpp>
#include <contextual/launch_registry.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace contextual::agreement {

using detail::ProblemSlot;
using nlohmann::json;

std::vector<ProblemSlot*> newly_seen(detail::RunContext& context) {
  std::vector<ProblemSlot*> problems;
  std::vector<bool> listed(context.slots().size(), false);
  const auto list = [&](ProblemSlot& slot) {
    if (!slot.joined() && !listed[slot.index]) {
      listed[slot.index] = true;
      problems.push_back(&slot);
    }
  };
  for (const detail::LaunchRecord& record : context.threads().front().records) {
    list(*record.slot);
  }
  const auto of_workers = static_cast<std::ptrdiff_t>(problems.size());
  for (ProblemSlot& slot : context.slots()) {
    list(slot);
  }
  std::sort(problems.begin() + of_workers, problems.end(), [](const ProblemSlot* a, const ProblemSlot* b) {
    // By the keys and not by their texts: a long key may show its digest on one rank alone.
    return std::forward_as_tuple(a->problem.name, detail::words_of(a->problem.key), a->problem.identity) <
           std::forward_as_tuple(b->problem.name, detail::words_of(b->problem.key), b->problem.identity);
  });
  // A launch is noted when it is over, but a choice point joins before what its alternatives launch.
  std::stable_sort(problems.begin(), problems.end(), [](const ProblemSlot* a, const ProblemSlot* b) {
    return a->problem.depth < b->problem.depth;
  });
  return problems;
}

std::uint64_t problems_digest(const std::vector<ProblemSlot*>& problems) {
  detail::StableHash hash;
  for (const ProblemSlot* slot : problems) {
    hash.add(slot->problem.identity).add(std::uint64_t{slot->found.needs_loading});
    hash.add(std::uint64_t{slot->found.has_verify});
    hash.add(slot->found.locked_config ? *slot->found.locked_config + 1 : 0);
    for (const bool left_out : slot->found.left_out) {
      hash.add(std::uint64_t{left_out});
    }
  }
  return hash.value();
}

namespace {

/// Calls `visit` with the name of each member but the key, and the member.
template <typename Problem, typename Visit>
void visit_fields(Problem& problem, const Visit& visit) {
  visit("name", problem.name), visit("key", problem.key_text), visit("coupling", problem.coupling);
  visit("participation", problem.participation), visit("configs", problem.config_count);
  visit("refinements", problem.refinement_count), visit("space", problem.space_digest);
  visit("identity", problem.identity), visit("choice_point", problem.choice_point);
  visit("scope", problem.scope), visit("depth", problem.depth);
}

/// A key as JSON: the type and the word of each part.
json json_of(const Key& key) {
  json words = json::array();
  for (const detail::KeyWord& word : detail::words_of(key)) {
    words.push_back({static_cast<int>(word.type), word.word});
  }
  return words;
}

Key key_of(const json& words) {
  Key key;
  for (const json& word : words) {
    key.append_word(static_cast<Key::Type>(word.at(0).get<int>()), word.at(1).get<std::uint64_t>());
  }
  return key;
}

}  // namespace

std::string problem_details(const std::vector<ProblemSlot*>& problems) {
  json list = json::array();
  for (const ProblemSlot* slot : problems) {
    json left_out = json::array();
    for (std::size_t id = 0; id < slot->found.left_out.size(); ++id) {
      if (slot->found.left_out[id]) {
        left_out.push_back(id);
      }
    }
    json described{
        {"words", json_of(slot->problem.key)},
        {"prepare", slot->found.needs_loading},
        {"verify", slot->found.has_verify},
        {"locked", slot->found.locked_config ? static_cast<std::int64_t>(*slot->found.locked_config) : -1},
        {"left_out", std::move(left_out)}};
    visit_fields(slot->problem, [&](const char* name, const auto& field) { described[name] = field; });
    list.push_back(std::move(described));
  }
  return details_text(list);
}

namespace {

detail::Problem problem_of(const json& described) {
  detail::Problem problem;
  problem.key = key_of(described.at("words"));
  visit_fields(problem, [&](const char* name, auto& field) { described.at(name).get_to(field); });
  return problem;
}

/// What a rank says of a kernel and key that its namesakes on other ranks must say too; empty: nothing.
std::string definition_of(const json& problems, const detail::Problem& problem) {
  std::string text;
  for (const json& described : problems) {
    if (described.at("name").get<std::string>() == problem.name &&
        described.at("key").get<std::string>() == problem.key_text) {
      text += described.at("space").dump() + " " + described.at("participation").dump() + " ";
    }
  }
  return text;
}

/// This rank's kernel of that name and key; empty where it has none.
json definition_here(detail::RunContext& context, const detail::Problem& problem) {
  const ProblemSlot* slot = context.find({problem.name, problem.coupling, problem.key, problem.scope});
  if (slot == nullptr || slot->found.members.empty()) {
    return json::object();
  }
  const SpaceView& space = slot->found.members.front()->space();
  return {{"space", space.digest}, {"configs", space.size}, {"parameters", parameters_of(space)}};
}

std::string counts_text(const json& configs, const json& other_configs) {
  return " (" + configs.dump() + " and " + other_configs.dump() + " configs)";
}

/// A rank's problem has the name and key of another rank's, but is not the same. Collective: all ranks find
/// that out together.
std::string definition_difference(detail::RunContext& context, Exchange& exchange,
                                  const detail::Problem& problem, std::size_t rank) {
  std::vector<json> ranks;
  for (const std::string& text : exchange.gather(details_text(definition_here(context, problem)))) {
    ranks.push_back(parse_details(text));
  }
  const json& said = ranks[rank];
  for (std::size_t other = 0; other < ranks.size(); ++other) {
    if (!said.empty() && !ranks[other].empty() && ranks[other].at("space") != said.at("space")) {
      return "config space than rank " + std::to_string(other) +
             counts_text(said.at("configs"), ranks[other].at("configs")) + ": " +
             space_difference(rank, said.at("parameters"), other, ranks[other].at("parameters"));
    }
  }
  return "participation than a rank before it";
}

/// `difference`: what the rank has another one of, and than which rank.
[[noreturn]] void throw_other_definition(const detail::RunContext& context, const detail::Problem& problem,
                                         std::size_t rank, const std::string& difference,
                                         const std::vector<json>& ranks) {
  std::vector<std::string> definitions;
  definitions.reserve(ranks.size());
  for (const json& problems : ranks) {
    definitions.push_back(definition_of(problems, problem));
  }
  throw RankMismatchError("region \"" + context.region() + "\", by tuning iteration " +
                              std::to_string(context.tuning_iteration) + ": kernel \"" + problem.name +
                              "\", key " + problem.key_text + ": rank " + std::to_string(rank) +
                              " has another " + difference + ". Define the kernel alike on all ranks",
                          majority_of(definitions).differing);
}

/// The problems of all ranks, each once, while they are told rank by rank.
class Union {
 public:
  Union(detail::RunContext& context, Exchange& exchange) : context_(context), exchange_(exchange) {}

  void add(const json& described, std::size_t rank, const std::vector<json>& ranks);
  /// The problems in the order in which they were told first.
  std::vector<ProblemSlot*> finish();

 private:
  struct Told {
    std::int64_t locked = -1;    ///< as all ranks so far say
    std::uint64_t identity = 0;  ///< as the first rank says
  };

  detail::RunContext& context_;
  Exchange& exchange_;
  std::vector<ProblemSlot*> problems_;
  std::unordered_map<const ProblemSlot*, Told> told_;
};

void Union::add(const json& described, std::size_t rank, const std::vector<json>& ranks) {
  const detail::Problem problem = problem_of(described);
  ProblemSlot* slot = context_.find({problem.name, problem.coupling, problem.key, problem.scope});
  if (slot == nullptr) {
    slot = &context_.add_remote(problem);
  }
  if (slot->joined()) {  // it joined on all ranks when it was first seen, as it was described then
    throw_other_definition(context_, problem, rank,
                           "config space or participation than a rank before it" +
                               counts_text(problem.config_count, slot->problem.config_count),
                           ranks);
  }
  const std::int64_t locked = described.at("locked");
  const auto [told, first] = told_.try_emplace(slot, Told{locked, problem.identity});
  if (first) {
    problems_.push_back(slot);
  } else if (told->second.locked != locked) {
    told->second.locked = -1;
  }
  if (told->second.identity != problem.identity) {
    throw_other_definition(context_, problem, rank, definition_difference(context_, exchange_, problem, rank),
                           ranks);
  }
  slot->found.needs_loading = slot->found.needs_loading || described.at("prepare").get<bool>();
  slot->found.has_verify = slot->found.has_verify || described.at("verify").get<bool>();
  for (const std::size_t id : described.at("left_out").get<std::vector<std::size_t>>()) {
    slot->found.left_out.at(id) = true;
  }
}

KnownSpaces::Owners owners_of_spaces(const std::vector<json>& ranks) {
  KnownSpaces::Owners owners;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (const json& described : ranks[rank]) {
      std::vector<std::size_t>& having = owners[described.at("space").get<std::uint64_t>()];
      const bool coupled = !described.at("coupling").get<std::string>().empty();
      if (!coupled && (having.empty() || having.back() != rank)) {
        having.push_back(rank);
      }
    }
  }
  std::erase_if(owners, [](const auto& owned) { return owned.second.empty(); });
  return owners;
}

std::vector<ProblemSlot*> Union::finish() {
  for (ProblemSlot* slot : problems_) {
    const std::int64_t locked = told_.at(slot).locked;
    slot->found.locked_config = locked >= 0 ? std::optional<std::size_t>(locked) : std::nullopt;
  }
  return std::move(problems_);
}

}  // namespace

std::vector<ProblemSlot*> unite(detail::RunContext& context, const std::vector<ProblemSlot*>& own,
                                Exchange& exchange, KnownSpaces& spaces) {
  const std::vector<std::string> details = exchange.gather(problem_details(own));
  for (ProblemSlot* slot : own) {
    std::fill(slot->found.left_out.begin(), slot->found.left_out.end(),
              false);  // own ones come back with the details
  }
  std::vector<json> ranks;
  ranks.reserve(details.size());
  for (const std::string& text : details) {
    ranks.push_back(json::parse(text));
  }
  spaces.add(owners_of_spaces(ranks), own, exchange);
  Union all(context, exchange);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (const json& described : ranks[rank]) {
      all.add(described, rank, ranks);
    }
  }
  return all.finish();
}

void check_coupled_members(detail::RunContext& context) {
  for (const detail::ProblemSlot& slot : context.slots()) {
    if (slot.joined() || slot.problem.coupling.empty() || slot.found.members.empty()) {
      continue;
    }
    for (const auto& registered : LaunchRegistry::instance().coupled(slot.problem.coupling)) {
      const bool seen = std::any_of(slot.found.members.begin(), slot.found.members.end(),
                                    [&](const auto& member) { return member.get() == registered.get(); });
      if (!seen) {
        throw InvalidArgument(
            "region \"" + context.region() + "\": kernel \"" + registered->traits().name +
            "\" is coupled as \"" + slot.problem.coupling + "\" but was not launched with key " +
            slot.problem.key_text +
            ": coupled kernels are launched in the same runs of the region and compute equal "
            "keys");
      }
    }
  }
}

}  // namespace contextual::agreement

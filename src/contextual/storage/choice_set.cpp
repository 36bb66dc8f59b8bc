#include "contextual/storage/choice_set.hpp"

#include "contextual/storage/choice_fields.hpp"

#include <contextual/detail/config/hex_text.hpp>
#include <contextual/detail/config/stable_hash.hpp>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace contextual {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KeptInfeasible, what, reason)
}  // namespace contextual

namespace contextual::storage {
namespace {

using detail::StableHash;
using Json = nlohmann::json;

/// Calls `visit` with the name of each member in a file, and the member.
template <typename Visit>
void visit_fields(ChosenKernel& kernel, const Visit& visit) {
  visit("kernel", kernel.name), visit("digest", kernel.table_digest), visit("origin", kernel.origin);
}

template <typename Visit>
void visit_fields(KeptChoice& choice, const Visit& visit) {
  visit("kernel", choice.kernel), visit("coupling", choice.coupling), visit("key", choice.key_text);
  visit("key_words", choice.key), visit("scope", choice.scope), visit("launched", choice.launched);
  visit("configs", choice.config_count), visit("config_id", choice.config_id), visit("config", choice.config);
  visit("reason", choice.reason), visit("time_ns", choice.time_ns);
  visit("time_spread_ns", choice.time_spread_ns), visit("ranks", choice.ranks), visit("runs", choice.runs);
  visit("search", choice.search), visit("outputs", choice.outputs), visit("meaning", choice.meaning);
}

template <typename Visit>
void visit_fields(ChoiceSet& set, const Visit& visit) {
  visit("region", set.region), visit("written", set.written), visit("machines", set.machines);
  visit("beside_pins", set.beside_pins), visit("makespan_ns", set.makespan_ns);
  visit("makespan_spread_ns", set.makespan_spread_ns), visit("infeasible", set.infeasible);
  visit("choices", set.choices);
}

template <typename T>
concept HasFields = requires(T& value) {
  visit_fields(value, [](const char*, auto&) {});
};

template <typename T>
void read(const Json& json, T& value) {
  if constexpr (HasFields<T>) {
    visit_fields(value, [&](const char* name, auto& member) { read(json.at(name), member); });
  } else if constexpr (requires { requires HasFields<typename T::value_type>; }) {
    for (const Json& element : json.get_ref<const Json::array_t&>()) {
      read(element, value.emplace_back());
    }
  } else {
    json.get_to(value);
  }
}

/// As nlohmann writes it, without an object for each value: files are written for each new key.
template <typename T>
void write(T& value, std::string& text) {
  if constexpr (HasFields<T>) {
    char before = '{';
    visit_fields(value, [&](const char* name, auto& member) {
      text.append(1, std::exchange(before, ',')).append("\"").append(name).append("\":");
      write(member, text);
    });
    text += '}';
  } else if constexpr (requires { requires HasFields<typename T::value_type>; }) {
    for (auto& element : value) {
      text += &element == value.data() ? '[' : ',';
      write(element, text);
    }
    text += value.empty() ? "[]" : "]";
  } else if constexpr (std::is_same_v<T, std::string>) {
    const bool plain = std::all_of(value.begin(), value.end(),
                                   [](char c) { return c >= ' ' && c < '\x7f' && c != '"' && c != '\\'; });
    plain ? text.append("\"").append(value).append("\"") : text.append(text_of(value));
  } else if constexpr (std::is_integral_v<T>) {
    text += std::to_string(value);
  } else {
    text += text_of(value);
  }
}

std::string content_of(const ChoiceSet& entry) {
  std::string text;
  write(const_cast<ChoiceSet&>(entry), text);  // NOLINT(cppcoreguidelines-pro-type-const-cast): only read
  return text;
}

std::string digest_of(const std::string& content) {
  return detail::hex_text(StableHash().add(std::string_view(content)).value());
}

}  // namespace

std::uint64_t problem_digest(const KeptChoice& choice) {
  return StableHash().add(std::string_view(choice.kernel)).add(choice.key.hash()).add(choice.scope).value();
}

/// Ranks may have told the kernels of a coupling in another order.
std::uint64_t kernels_digest(const KeptChoice& choice) {
  std::uint64_t digest = 0;
  for (const ChosenKernel& kernel : choice.launched) {
    digest += StableHash().add(std::string_view(kernel.name)).add(kernel.table_digest).value();
  }
  return digest;
}

std::uint64_t choice_digest(const KeptChoice& choice) {
  StableHash hash;
  hash.add(problem_digest(choice)).add(kernels_digest(choice));
  return choice.meaning.empty() ? hash.add(std::uint64_t{choice.config_id}).value()
                                : hash.add(std::string_view(choice.meaning)).value();
}

SearchLevel search_of(const ChoiceSet& entry) {
  SearchLevel highest = SearchLevel::off;
  for (const KeptChoice& choice : entry.choices) {
    highest = std::max(highest, choice.search);
  }
  return highest;
}

std::string to_json(const ChoiceSet& entry) {
  const std::string content = content_of(entry);
  return R"({"digest":")" + digest_of(content) + R"(","content":)" + content + "}";
}

ChoiceSet entry_of(const Json& json) {
  ChoiceSet entry;
  read(json.at("content"), entry);
  if (json.at("digest").get<std::string>() != id_of(entry)) {
    throw std::runtime_error("its digest is not that of its content");
  }
  return entry;
}

std::string id_of(const ChoiceSet& entry) {
  return digest_of(content_of(entry));
}

namespace {

using detail::Machine;

constexpr std::size_t newest_run = 0;

using Ranks = std::vector<std::size_t>;  ///< empty: all
/// A kernel or coupling as it looked on some ranks.
using Look = std::tuple<std::string_view, std::uint64_t, Ranks>;

std::set<Look> looks_in(const ChoiceSet& entry) {
  std::set<Look> looks;
  for (const KeptChoice& choice : entry.choices) {
    looks.emplace(choice.kernel, kernels_digest(choice), choice.ranks);
  }
  return looks;
}

bool overlap(const Ranks& one, const Ranks& other) {
  return one.empty() || other.empty() ||
         std::find_first_of(one.begin(), one.end(), other.begin(), other.end()) != one.end();
}

bool is_rebuilt(const Look& one, const Look& other) {
  return std::get<0>(one) == std::get<0>(other) && std::get<1>(one) != std::get<1>(other) &&
         overlap(std::get<2>(one), std::get<2>(other));
}

/// No kernel looks different in the two, so that a run may use both.
bool are_of_one_build(const ChoiceSet& one, const ChoiceSet& other) {
  const std::set<Look> looks = looks_in(one);
  const std::set<Look> other_looks = looks_in(other);
  return std::none_of(looks.begin(), looks.end(), [&](const Look& look) {
    return std::any_of(other_looks.begin(), other_looks.end(),
                       [&](const Look& theirs) { return is_rebuilt(look, theirs); });
  });
}

template <typename Choices>
auto by_problem(Choices& choices) {
  std::unordered_map<std::uint64_t, decltype(choices.data())> found;
  for (auto& choice : choices) {
    found.emplace(problem_digest(choice), &choice);
  }
  return found;
}

bool is_like(const ChoiceSet& one, const ChoiceSet& other) {
  return one.machines == other.machines && one.beside_pins == other.beside_pins;
}

bool has_same_versionless(const ChoiceSet& one, const ChoiceSet& other) {
  return std::equal(one.machines.begin(), one.machines.end(), other.machines.begin(), other.machines.end(),
                    [](const Machine& a, const Machine& b) {
                      return detail::without_versions(a) == detail::without_versions(b);
                    });
}

/// Whether the choices were made where a run is now. What depends on no processor does not name one.
bool is_of(const Machine& machine, const Machine& now) {
  Machine without = now;
  without.erase(detail::processor_part);
  return machine == now || machine == without;
}

bool counts(const ChoiceSet& entry, const Present& now) {
  return std::equal(entry.machines.begin(), entry.machines.end(), now.machines.begin(), now.machines.end(),
                    is_of) &&
         entry.counts_beside(now.pins) && (now.refused.empty() || !now.refused.contains(id_of(entry)));
}

template <typename Elements>
void add_missing(const Elements& more, Elements& all) {
  for (const auto& element : more) {
    if (std::find(all.begin(), all.end(), element) == all.end()) {
      all.push_back(element);
    }
  }
}

std::size_t last_run(const ChoiceSet& entry) {
  std::size_t last = 0;
  for (const KeptChoice& choice : entry.choices) {
    last = std::max(last, choice.runs.empty() ? 0 : choice.runs.back());
  }
  return last;
}

/// The runs that have chosen something otherwise than the newer choices.
template <typename Chosen>
std::set<std::size_t> outdated_runs(const ChoiceSet& older, const Chosen& newer) {
  std::set<std::size_t> outdated;
  for (const KeptChoice& choice : older.choices) {
    const auto known = newer.find(problem_digest(choice));
    if (known != newer.end() && choice_digest(*known->second) != choice_digest(choice)) {
      outdated.insert(choice.runs.begin(), choice.runs.end());
    }
  }
  return outdated;
}

/// Both have the same config.
void join(const KeptChoice& older, KeptChoice& choice) {
  if (choice.ranks.empty() || older.ranks.empty()) {
    choice.ranks.clear();
  } else {
    add_missing(older.ranks, choice.ranks);
    std::sort(choice.ranks.begin(), choice.ranks.end());
  }
  choice.runs.insert(choice.runs.end(), older.runs.begin(), older.runs.end());
  if (choice.reused) {
    choice.reason = older.reason;
    choice.time_ns = older.time_ns;
    choice.time_spread_ns = older.time_spread_ns;
    choice.search = std::max(choice.search, older.search);
    add_missing(older.outputs, choice.outputs);
    choice.reused = false;  // the newest one counts
  }
}

/// Returns false if the two do not go together.
bool take_in(const ChoiceSet& older, ChoiceSet& newer, const Present& now) {
  if (!counts(older, now) || !are_of_one_build(older, newer)) {
    return false;
  }
  newer.choices.reserve(newer.choices.size() + older.choices.size());  // `chosen` points into it
  const auto chosen = by_problem(newer.choices);
  const std::set<std::size_t> outdated = outdated_runs(older, chosen);
  const std::size_t first_run = last_run(newer) + 1;
  for (KeptChoice choice : older.choices) {
    std::erase_if(choice.runs, [&](std::size_t run) { return outdated.contains(run); });
    for (std::size_t& run : choice.runs) {
      run += first_run;
    }
    const auto known = chosen.find(problem_digest(choice));
    if (known != chosen.end() && choice_digest(*known->second) == choice_digest(choice)) {
      join(choice, *known->second);
    } else if (known == chosen.end() && !choice.runs.empty()) {
      newer.choices.push_back(std::move(choice));
    }
  }
  add_missing(older.infeasible, newer.infeasible);
  newer.infeasible.resize(std::min(newer.infeasible.size(), most_infeasible));
  newer.machines = newer.machines == now.machines ? newer.machines : older.machines;
  newer.beside_pins = newer.beside_pins.empty() ? older.beside_pins : newer.beside_pins;
  return true;
}

/// Those that have chosen nothing beyond the newest run say nothing more.
void leave_out_covered_runs(ChoiceSet& entry) {
  std::set<std::size_t> needed{newest_run};
  for (const KeptChoice& choice : entry.choices) {
    if (choice.runs.front() != newest_run) {
      needed.insert(choice.runs.begin(), choice.runs.end());
    }
  }
  for (KeptChoice& choice : entry.choices) {
    std::erase_if(choice.runs, [&](std::size_t run) { return !needed.contains(run); });
  }
}

/// Takes older sets in, and leaves those that are needed behind it.
void make_newest(ChoiceSet& entry, std::vector<ChoiceSet>& older_sets, const Present& now) {
  std::vector<ChoiceSet> stay;
  std::size_t beside = 0;
  for (ChoiceSet& older : older_sets) {
    const bool taken_in = take_in(older, entry, now) && is_like(entry, older);
    if (!taken_in && (!has_same_versionless(entry, older) || ++beside <= most_beside)) {
      stay.push_back(std::move(older));
    }
  }
  older_sets = std::move(stay);
}

}  // namespace

void add_newest(std::vector<ChoiceSet>& sets, ChoiceSet entry, const Present& now,
                const std::vector<ChoiceSet>& shipped) {
  for (KeptChoice& choice : entry.choices) {
    choice.runs = {newest_run};
  }
  make_newest(entry, sets, now);
  for (const ChoiceSet& one : shipped) {
    take_in(one, entry, now);
  }
  leave_out_covered_runs(entry);
  sets.insert(sets.begin(), std::move(entry));
}

bool add_by_age(std::vector<ChoiceSet>& sets, const ChoiceSet& entry) {
  const auto older = std::find_if(sets.begin(), sets.end(),
                                  [&](const ChoiceSet& other) { return other.written < entry.written; });
  for (auto newer = sets.begin(); newer != older; ++newer) {
    const std::size_t before = newer->choices.size();
    if (is_like(*newer, entry) && take_in(entry, *newer, {newer->machines, newer->beside_pins, {}})) {
      return newer->choices.size() > before;
    }
  }
  std::vector<ChoiceSet> behind(std::make_move_iterator(older), std::make_move_iterator(sets.end()));
  sets.erase(older, sets.end());
  ChoiceSet added = entry;
  make_newest(added, behind, {entry.machines, entry.beside_pins, {}});
  sets.push_back(std::move(added));
  std::move(behind.begin(), behind.end(), std::back_inserter(sets));
  return true;
}

}  // namespace contextual::storage

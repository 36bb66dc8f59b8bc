#include "contextual/storage/choice_set.hpp"

#include "contextual/storage/choice_fields.hpp"

#include <contextual/detail/config/hex_text.hpp>
#include <contextual/detail/config/stable_hash.hpp>

#include <algorithm>
#include <charconv>
#include <concepts>
#include <iterator>
#include <map>
#include <stdexcept>
#include <system_error>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace contextual::storage {
namespace {

using detail::StableHash;
using Json = nlohmann::json;

/// Calls `visit` with the name of each member in a file, and the member: in nlohmann's order, so that it
/// writes what it has parsed as it was.
template <typename Visit>
void visit_fields(ChosenKernel& kernel, const Visit& visit) {
  visit("digest", kernel.table_digest), visit("kernel", kernel.name), visit("origin", kernel.origin);
}

template <typename Visit>
void visit_fields(KeptInfeasible& infeasible, const Visit& visit) {
  visit("reason", infeasible.reason), visit("what", infeasible.what);
}

template <typename Visit>
void visit_fields(KeptChoice& choice, const Visit& visit) {
  visit("config", choice.config), visit("config_id", choice.config_id), visit("configs", choice.config_count);
  visit("coupling", choice.coupling), visit("kernel", choice.kernel), visit("key", choice.key_text);
  visit("key_words", choice.key), visit("launched", choice.launched), visit("meaning", choice.meaning);
  visit("outputs", choice.outputs), visit("ranks", choice.ranks), visit("reason", choice.reason);
  visit("runs", choice.runs), visit("scope", choice.scope), visit("search", choice.search);
  visit("time_ns", choice.time_ns), visit("time_spread_ns", choice.time_spread_ns);
}

template <typename Visit>
void visit_fields(ChoiceSet& set, const Visit& visit) {
  visit("beside_pins", set.beside_pins), visit("choices", set.choices), visit("infeasible", set.infeasible);
  visit("machines", set.machines), visit("makespan_ns", set.makespan_ns);
  visit("makespan_spread_ns", set.makespan_spread_ns), visit("region", set.region);
  visit("written", set.written);
}

/// JSON without white space, to whose end values are written, or from whose beginning they are read as they
/// were written. No object is made for a value: a start reads thousands, and a new key writes them all again.
struct Text {
  bool reads = false;
  std::string_view left{};
  std::string written{};

  static void require(bool right) {
    if (!right) {
      throw std::runtime_error("it is not as it was written");
    }
  }
  void mark(std::string_view part) {
    if (!reads) {
      written += part;
      return;
    }
    require(left.starts_with(part));
    left.remove_prefix(part.size());
  }
  bool goes_on(bool has_more, std::string_view end) const {
    return reads ? !left.starts_with(end) : has_more;
  }
};

template <std::integral T>
void pass(Text& text, T& number) {
  if (!text.reads) {
    return text.mark(std::to_string(number));
  }
  const auto [end, error] = std::from_chars(text.left.data(), text.left.data() + text.left.size(), number);
  Text::require(error == std::errc());
  text.left.remove_prefix(static_cast<std::size_t>(end - text.left.data()));
}

void pass(Text& text, std::string& value) {
  if (!text.reads) {
    const bool plain = std::all_of(value.begin(), value.end(),
                                   [](char c) { return c >= ' ' && c < '\x7f' && c != '"' && c != '\\'; });
    return text.mark(plain ? '"' + value + '"' : text_of(value));
  }
  std::size_t end = 1;
  while (end < text.left.size() && text.left[end] != '"') {
    end += text.left[end] == '\\' ? 2 : 1;
  }
  const std::string_view quoted = text.left.substr(0, end + 1);
  Text::require(quoted.starts_with('"') && quoted.size() == end + 1);
  value = quoted.find('\\') == std::string_view::npos ? std::string(quoted.substr(1, end - 1))
                                                      : Json::parse(quoted).get<std::string>();
  text.left.remove_prefix(end + 1);
}

/// Writes or reads the value. One that is written stays as it is.
template <typename T>
void pass(Text& text, T& value) {
  if constexpr (std::is_same_v<T, detail::Machine>) {
    std::vector<std::string> words;  // each part and its value
    for (const auto& [part, of_part] : value) {
      words.insert(words.end(), {part, of_part});
    }
    pass(text, words);
    for (std::size_t i = 2 * value.size(); i + 1 < words.size(); i += 2) {
      value.emplace(words[i], words[i + 1]);
    }
  } else if constexpr (std::is_same_v<T, Key>) {
    std::vector<std::uint64_t> words;  // each behind its type
    for (std::size_t i = 0; i < value.size(); ++i) {
      words.insert(words.end(), {static_cast<std::uint64_t>(value.type(i)), value.word(i)});
    }
    pass(text, words);
    for (std::size_t i = 2 * value.size(); i + 1 < words.size(); i += 2) {
      value.append_word(static_cast<Key::Type>(words[i]), words[i + 1]);
    }
  } else if constexpr (std::is_enum_v<T>) {
    auto number = static_cast<int>(value);
    pass(text, number);
    if (text.reads) {
      value = static_cast<T>(number);
    }
  } else if constexpr (requires { value.has_value(); }) {
    if (!text.goes_on(value.has_value(), "null")) {
      return text.mark("null");
    }
    pass(text, text.reads ? value.emplace() : *value);
  } else if constexpr (requires { value.emplace_back(); }) {
    value.resize(text.reads ? 0 : value.size());
    text.mark("[");
    for (std::size_t i = 0; text.goes_on(i < value.size(), "]"); ++i) {
      text.mark(i == 0 ? "" : ",");
      pass(text, text.reads ? value.emplace_back() : value[i]);
    }
    text.mark("]");
  } else {
    std::string_view before = "{\"";
    visit_fields(value, [&](std::string_view name, auto& member) {
      text.mark(std::exchange(before, ",\"")), text.mark(name), text.mark("\":");
      pass(text, member);
    });
    text.mark("}");
  }
}

constexpr std::string_view before_content = R"({"content":)";

std::string after_content(std::string_view content) {
  return R"(,"digest":")" + detail::hex_text(StableHash().add(content).value()) + R"("})";
}

std::string content_of(ChoiceSet entry) {
  Text text;
  pass(text, entry);
  return std::move(text.written);
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
  return std::string(before_content).append(content).append(after_content(content));
}

ChoiceSet entry_of(std::string_view text) {
  std::string_view content = text.substr(std::min(before_content.size(), text.size()));
  content.remove_suffix(std::min(after_content({}).size(), content.size()));
  if (!text.starts_with(before_content) || !text.ends_with(after_content(content))) {
    throw std::runtime_error("its digest is not that of its content");
  }
  ChoiceSet entry;
  Text reading{true, content};
  pass(reading, entry);
  return entry;
}

std::string id_of(const ChoiceSet& entry) {
  return detail::hex_text(StableHash().add(std::string_view(content_of(entry))).value());
}

namespace {

using detail::Machine;

constexpr std::size_t newest_run = 0;

using Ranks = std::vector<std::size_t>;  ///< empty: all
bool overlap(const Ranks& one, const Ranks& other) {
  return one.empty() || other.empty() ||
         std::find_first_of(one.begin(), one.end(), other.begin(), other.end()) != one.end();
}

/// No kernel looks different in the two, so that a run may use both.
bool are_of_one_build(const ChoiceSet& one, const ChoiceSet& other) {
  std::map<std::string_view, std::set<std::pair<std::uint64_t, Ranks>>> looks;  // by kernel or coupling
  for (const KeptChoice& choice : one.choices) {
    looks[choice.kernel].emplace(kernels_digest(choice), choice.ranks);
  }
  return std::none_of(other.choices.begin(), other.choices.end(), [&](const KeptChoice& choice) {
    const auto& all = looks[choice.kernel];
    return std::any_of(all.begin(), all.end(), [&, own = kernels_digest(choice)](const auto& look) {
      return look.first != own && overlap(look.second, choice.ranks);
    });
  });
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
  std::unordered_map<std::uint64_t, KeptChoice*> chosen;
  std::size_t first_run = 1;
  for (KeptChoice& choice : newer.choices) {
    chosen.emplace(problem_digest(choice), &choice);
    first_run = std::max(first_run, choice.runs.empty() ? 0 : choice.runs.back() + 1);
  }
  std::set<std::size_t> outdated;  // the runs that have chosen something otherwise than the newer choices
  for (const KeptChoice& choice : older.choices) {
    const auto known = chosen.find(problem_digest(choice));
    if (known != chosen.end() && choice_digest(*known->second) != choice_digest(choice)) {
      outdated.insert(choice.runs.begin(), choice.runs.end());
    }
  }
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

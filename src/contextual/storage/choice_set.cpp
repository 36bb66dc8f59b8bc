#include "contextual/storage/choice_set.hpp"

#include "contextual/storage/choice_fields.hpp"

#include <contextual/config.hpp>
#include <contextual/detail/config/hex_text.hpp>
#include <contextual/detail/config/stable_hash.hpp>
#include <contextual/error.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <stdexcept>

namespace contextual::storage {
namespace {

using Json = nlohmann::ordered_json;
using detail::StableHash;

constexpr std::size_t most_choices = 100'000;
constexpr std::size_t most_runs = std::size_t{1} << 40U;

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what);
}

std::optional<std::int64_t> time_of(const Json& json) {
  if (json.is_null()) {
    return std::nullopt;
  }
  if (!json.is_number_integer() || json.get<std::int64_t>() < 0) {
    fail(json.dump() + " is no time in ns");
  }
  return json.get<std::int64_t>();
}

/// Bytes that are not UTF-8 would make `dump` throw.
std::string compact_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// As nlohmann writes it, without an object for each value.
void append_quoted(const std::string& value, std::string& text) {
  const bool plain = std::all_of(value.begin(), value.end(),
                                 [](char c) { return c >= ' ' && c < '\x7f' && c != '"' && c != '\\'; });
  plain ? text.append("\"").append(value).append("\"") : text.append(compact_text(value));
}

/// The fields of an object.
class Fields {
 public:
  Fields& add(const char* name, const std::string& value) {
    append_quoted(value, begin(name));
    return *this;
  }
  Fields& add(const char* name, std::size_t value) {
    begin(name).append(std::to_string(value));
    return *this;
  }
  Fields& add(const char* name, const std::optional<std::int64_t>& time_ns) {
    begin(name).append(time_ns ? std::to_string(*time_ns) : "null");
    return *this;
  }
  Fields& add(const char* name, const Json& value) {
    begin(name).append(compact_text(value));
    return *this;
  }
  Fields& add_list(const char* name, const std::string& elements) {
    begin(name).append("[").append(elements).append("]");
    return *this;
  }
  std::string object() const { return "{" + text_ + "}"; }

 private:
  std::string& begin(const char* name) {
    return text_.append(text_.empty() ? "\"" : ",\"").append(name).append("\":");
  }

  std::string text_;
};

std::string list_of(const std::vector<std::size_t>& numbers) {
  std::string text;
  for (const std::size_t number : numbers) {
    text.append(text.empty() ? "" : ",").append(std::to_string(number));
  }
  return text;
}

std::string words_of(const Key& key) {
  std::string text;
  for (std::size_t i = 0; i < key.size(); ++i) {
    text.append(i == 0 ? "[" : ",[").append(std::to_string(static_cast<int>(key.type(i))));
    text.append(",\"").append(detail::hex_text(key.word(i))).append("\"]");
  }
  return text;
}

std::string text_of(const KeptChoice& choice) {
  std::string launched;
  for (const ChosenKernel& kernel : choice.launched) {
    launched.append(launched.empty() ? "" : ",")
        .append(Fields()
                    .add("kernel", kernel.name)
                    .add("digest", detail::hex_text(kernel.table_digest))
                    .add("origin", kernel.origin)
                    .object());
  }
  Fields fields;
  fields.add("kernel", choice.kernel)
      .add("coupling", choice.coupling)
      .add("key", choice.key_text)
      .add_list("key_words", words_of(choice.key))
      .add("scope", detail::hex_text(choice.scope))
      .add_list("launched", launched)
      .add("configs", choice.config_count)
      .add("config_id", choice.config_id)
      .add("config", choice.config)
      .add("reason", choice.reason)
      .add("time_ns", choice.time_ns)
      .add("time_spread_ns", choice.time_spread_ns)
      .add_list("runs", list_of(choice.runs))
      .add("search", static_cast<std::size_t>(choice.search));
  if (!choice.outputs.empty()) {
    fields.add("outputs", Json(choice.outputs));
  }
  if (!choice.meaning.empty()) {
    fields.add("meaning", choice.meaning);
  }
  if (!choice.ranks.empty()) {
    fields.add_list("ranks", list_of(choice.ranks));
  }
  return fields.object();
}

KeptChoice choice_of(const Json& json, std::size_t ranks) {
  KeptChoice choice;
  choice.kernel = json.at("kernel").get<std::string>();
  choice.coupling = json.at("coupling").get<std::string>();
  choice.key_text = json.at("key").get<std::string>();
  choice.key = key_of(json.at("key_words"));
  choice.scope = word_of(json.at("scope"));
  for (const Json& kernel : json.at("launched").get_ref<const Json::array_t&>()) {
    choice.launched.push_back({kernel.at("kernel").get<std::string>(), word_of(kernel.at("digest")),
                               kernel.at("origin").get<std::string>()});
  }
  choice.config_count = count_of(json.at("configs"), most_configs);
  choice.config_id = count_of(json.at("config_id"), most_configs);
  choice.config = json.at("config").get<std::string>();
  static_cast<void>(Config::from_json(choice.config));  // throws
  choice.meaning = json.value("meaning", "");
  choice.runs.clear();
  for (const Json& run : json.at("runs").get_ref<const Json::array_t&>()) {
    choice.runs.push_back(count_of(run, most_runs));
  }
  choice.search =
      static_cast<SearchLevel>(count_of(json.at("search"), static_cast<std::size_t>(SearchLevel::thorough)));
  choice.outputs = json.value("outputs", std::vector<std::string>());
  choice.reason = json.at("reason").get<std::string>();
  choice.time_ns = time_of(json.at("time_ns"));
  choice.time_spread_ns = time_of(json.at("time_spread_ns"));
  if (choice.runs.empty()) {
    fail("a choice of no run");
  }
  if (choice.config_id >= choice.config_count) {
    fail("config " + std::to_string(choice.config_id) + " of " + std::to_string(choice.config_count));
  }
  if (json.contains("ranks")) {
    for (const Json& rank : json.at("ranks").get_ref<const Json::array_t&>()) {
      choice.ranks.push_back(count_of(rank, std::max<std::size_t>(ranks, 1) - 1));
    }
  }
  return choice;
}

std::string digest_of(const std::string& content) {
  return detail::hex_text(StableHash().add(std::string_view(content)).value());
}

std::string content_text(const ChoiceSet& entry) {
  std::string choices;
  for (const KeptChoice& choice : entry.choices) {
    choices.append(choices.empty() ? "" : ",").append(text_of(choice));
  }
  Json infeasible = Json::array();
  for (const Infeasible& known : entry.infeasible) {
    infeasible.push_back({{"what", known.what}, {"reason", known.reason}});
  }
  return Fields()
      .add("region", entry.region)
      .add("written", entry.written)
      .add("machines", Json(entry.machines))
      .add("beside_pins", entry.beside_pins)
      .add("makespan_ns", entry.makespan_ns)
      .add("makespan_spread_ns", entry.makespan_spread_ns)
      .add("infeasible", infeasible)
      .add_list("choices", choices)
      .object();
}

ChoiceSet entry_of_content(const Json& content) {
  ChoiceSet entry;
  entry.region = content.at("region").get<std::string>();
  entry.written = content.at("written").get<std::string>();
  entry.machines = content.at("machines").get<std::vector<detail::Machine>>();
  entry.beside_pins = content.at("beside_pins").get<std::string>();
  entry.makespan_ns = time_of(content.at("makespan_ns"));
  entry.makespan_spread_ns = time_of(content.at("makespan_spread_ns"));
  const auto& choices = content.at("choices").get_ref<const Json::array_t&>();
  if (choices.size() > most_choices) {
    fail("too many choices");
  }
  for (const Json& choice : choices) {
    entry.choices.push_back(choice_of(choice, entry.machines.size()));
  }
  const auto& infeasible = content.at("infeasible").get_ref<const Json::array_t&>();
  if (infeasible.size() > most_infeasible) {
    fail("more than " + std::to_string(most_infeasible) + " entries of what is infeasible");
  }
  for (const Json& known : infeasible) {
    entry.infeasible.push_back({known.at("what").get<std::string>(), known.at("reason").get<std::string>()});
  }
  return entry;
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
  const std::string content = content_text(entry);
  return R"({"digest":")" + digest_of(content) + R"(","content":)" + content + "}";
}

ChoiceSet entry_of(const Json& json) {
  const Json& content = json.at("content");
  if (json.at("digest").get<std::string>() != digest_of(compact_text(content))) {
    fail("its digest is not that of its content");
  }
  return entry_of_content(content);
}

std::string id_of(const ChoiceSet& entry) {
  return digest_of(content_text(entry));
}

}  // namespace contextual::storage

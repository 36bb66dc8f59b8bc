#include "contextual/record/log_lines.hpp"
#include "sample_events.hpp"
#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace log_format_doc_test {

using namespace contextual::record;
using Json = nlohmann::ordered_json;

namespace {

std::string document() {
  std::ifstream file(CONTEXTUAL_LOG_FORMAT_DOC);
  REQUIRE(file);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The lines of all blocks of a language.
std::vector<std::string> examples(const std::string& language) {
  std::vector<std::string> lines;
  std::istringstream text(document());
  bool inside = false;
  for (std::string line; std::getline(text, line);) {
    if (line.rfind("```", 0) == 0) {
      inside = !inside && line == "```" + language;
    } else if (inside) {
      lines.push_back(line);
    }
  }
  return lines;
}

/// Names of all fields in order, those of list entries included; a config's parameters are the user's.
std::vector<std::string> fields(const Json& json, const std::string& prefix = "") {
  std::vector<std::string> names;
  for (const auto& [name, value] : json.items()) {
    names.push_back(prefix + name);
    if (value.is_array() && !value.empty() && value[0].is_object()) {
      const auto inner = fields(value[0], prefix + name + "[].");
      names.insert(names.end(), inner.begin(), inner.end());
    }
  }
  return names;
}

template <typename T>
constexpr bool is_list = false;
template <HasFields T>
constexpr bool is_list<std::vector<T>> = true;

/// The same by the schema.
template <typename E>
std::vector<std::string> schema_fields(const std::string& prefix = "") {
  std::vector<std::string> names;
  const auto append = [&names](const std::vector<std::string>& inner) {
    names.insert(names.end(), inner.begin(), inner.end());
  };
  for_each_field<E>([&](const auto& field) {
    using Member = std::remove_cvref_t<decltype(E().*field.member)>;
    if constexpr (std::is_same_v<Member, ConfigUse>) {
      append(schema_fields<ConfigUse>(prefix));
      return;
    }
    names.push_back(prefix + field.name);
    if constexpr (std::is_same_v<Member, ProblemName>) {
      names.push_back(prefix + key_field);
    } else if constexpr (is_list<Member>) {
      append(schema_fields<typename Member::value_type>(prefix + field.name + "[]."));
    }
  });
  return names;
}

/// The text between the headings of an event and of the next one.
std::string section_of(std::string_view event) {
  const std::string text = document();
  const std::string heading = "### `" + std::string(event) + "`\n";
  const std::size_t at = text.find(heading);
  REQUIRE(at != std::string::npos);
  return text.substr(at, text.find("\n##", at + heading.size()) - at);
}

/// Whether a line of the document shows this line. `[...]` in it stands for what the lines above have, too.
bool shows(std::string_view shown, std::string_view line, std::string_view above) {
  constexpr std::string_view left_out = "[...]";
  const std::size_t gap = shown.find(left_out);
  if (gap == std::string_view::npos) {
    return shown == line;
  }
  if (line.substr(0, gap) != shown.substr(0, gap)) {
    return false;
  }
  shown.remove_prefix(gap + left_out.size());
  line.remove_prefix(gap);
  for (std::size_t length = 1;
       length <= line.size() && above.find(line.substr(0, length)) != std::string_view::npos; ++length) {
    if (shows(shown, line.substr(length), above)) {
      return true;
    }
  }
  return false;
}

std::map<std::string, Json> documented() {
  std::map<std::string, Json> by_event;
  for (const std::string& line : examples("json")) {
    const Json json = Json::parse(line);
    CHECK(by_event.emplace(json.at("event").get<std::string>(), json).second);
  }
  return by_event;
}

template <typename... Bodies>
void each_of(const auto& use, std::type_identity<std::variant<Bodies...>> /*of*/) {
  (use(std::type_identity<Bodies>()), ...);
}

/// Calls `use` with the type of every event.
void each_event(const auto& use) {
  each_of(use, std::type_identity<EventBody>());
}

}  // namespace

TEST_CASE("log-format.md: there is one example of every event and none of another", "[unit]") {
  const auto by_event = documented();
  CHECK(by_event.size() == std::variant_size_v<EventBody>);
  each_event([&]<typename Body>(std::type_identity<Body>) {
    CHECK(by_event.count(std::string(Body::event_name)) == 1);
  });
}

TEST_CASE("log-format.md: an event has exactly the fields of the schema, in that order", "[unit]") {
  const auto by_event = documented();
  each_event([&]<typename Body>(std::type_identity<Body>) {
    INFO(Body::event_name);
    std::vector<std::string> expected{schema::event_name_field};
    for (const auto& names : {schema_fields<Event>(), schema_fields<Body>()}) {
      expected.insert(expected.end(), names.begin(), names.end());
    }
    CHECK(fields(by_event.at(std::string(Body::event_name))) == expected);
    for (const Event& event : samples::all()) {
      if (std::holds_alternative<Body>(event.body)) {
        CHECK(fields(Json::parse(to_json_line(event))) == expected);
      }
    }
  });
}

TEST_CASE("log-format.md: every field is described, where its event is or for all events", "[unit]") {
  const std::string text = document();
  const std::size_t at = text.find("\n## `rank-{i}.jsonl`");
  REQUIRE(at != std::string::npos);
  const std::string for_all = text.substr(at, text.find("\n### ", at) - at);
  each_event([&]<typename Body>(std::type_identity<Body>) {
    const std::string described = for_all + section_of(Body::event_name);
    for (const std::string& field : schema_fields<Body>()) {
      INFO(Body::event_name << "." << field);
      CHECK(described.find("`" + field + "`") != std::string::npos);
    }
  });
}

TEST_CASE("log-format.md: every word that a field can be is there", "[unit]") {
  const auto check = []<typename E>(std::string_view event, std::type_identity<E>) {
    const std::string described = section_of(event);
    for (const std::string_view text : enum_texts<E>) {
      INFO(event << ": " << text);
      CHECK(described.find("`" + std::string(text) + "`") != std::string::npos);
    }
  };
  check("launch", std::type_identity<contextual::Phase>());
  check("launch", std::type_identity<LaunchRole>());
  check("launch", std::type_identity<LaunchStatus>());
  check("choice", std::type_identity<ChoiceStatus>());
  check("search", std::type_identity<contextual::ChosenBy>());
  check("search", std::type_identity<Standing>());
  check("search", std::type_identity<contextual::SearchReference>());
  check("timeline", std::type_identity<TimelineSide>());
  check("blocked", std::type_identity<contextual::Activity>());
  check("blocked", std::type_identity<BlockedAction>());
  check("run_end", std::type_identity<EndStatus>());
  check("run_end", std::type_identity<RunStage>());
}

TEST_CASE("log-format.md: the examples are what is written, line for line", "[unit]") {
  std::set<std::string> text_lines;
  std::set<std::string> json_lines;
  for (const Event& event : samples::all()) {
    text_lines.insert(to_text(event));
    json_lines.insert(to_json_line(event));
  }
  std::set<std::string> missing = text_lines;
  missing.erase("");  // a summary has no line for people
  std::string above;
  for (const std::string& example : examples("text")) {
    INFO(example);
    std::vector<std::string> shown;
    for (const std::string& line : text_lines) {
      if (shows(example, line, above)) {
        shown.push_back(line);
      }
    }
    REQUIRE(shown.size() == 1);
    CHECK(missing.erase(shown.front()) == 1);
    above += shown.front() + "\n";
  }
  CHECK(missing.empty());
  for (const std::string& line : examples("json")) {
    INFO(line);
    CHECK(json_lines.count(line) == 1);
  }
}

}  // namespace log_format_doc_test

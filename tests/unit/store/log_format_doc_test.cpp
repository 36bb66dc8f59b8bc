#include "contextual/store/json_format.hpp"
#include "contextual/store/text_format.hpp"
#include "sample_events.hpp"
#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

using namespace contextual::store;
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
    if (value.is_array()) {
      for (const auto& entry : value) {
        if (!entry.is_object()) {
          continue;
        }
        const auto inner = fields(entry, prefix + name + "[].");
        names.insert(names.end(), inner.begin(), inner.end());
      }
    }
  }
  return names;
}

std::map<std::string, Json> documented() {
  std::map<std::string, Json> by_event;
  for (const std::string& line : examples("json")) {
    const Json json = Json::parse(line);
    CHECK(by_event.emplace(json.at("event").get<std::string>(), json).second);
  }
  return by_event;
}

}  // namespace

TEST_CASE("log-format.md: there is one example of every event and none of another", "[unit]") {
  std::set<std::string> written;
  for (const Event& event : samples::all()) {
    written.insert(Json::parse(to_json_line(event)).at("event").get<std::string>());
  }
  std::set<std::string> described;
  for (const auto& [event, json] : documented()) {
    described.insert(event);
  }
  CHECK(described == written);
  CHECK(written.size() == std::variant_size_v<Event>);
}

TEST_CASE("log-format.md: real output has exactly the documented fields, in that order", "[unit]") {
  const auto by_event = documented();
  for (const Event& event : samples::all()) {
    const Json json = Json::parse(to_json_line(event));
    CHECK(fields(json) == fields(by_event.at(json.at("event").get<std::string>())));
  }
}

TEST_CASE("log-format.md: every field is described", "[unit]") {
  const std::string text = document();
  for (const auto& [event, json] : documented()) {
    for (const std::string& field : fields(json)) {
      INFO(event << "." << field);
      CHECK(text.find("`" + field + "`") != std::string::npos);
    }
  }
}

TEST_CASE("log-format.md: the examples are what is written, line for line", "[unit]") {
  std::set<std::string> text_lines;
  std::set<std::string> json_lines;
  for (const Event& event : samples::all()) {
    text_lines.insert(to_text(event));
    json_lines.insert(to_json_line(event));
  }
  CHECK(examples("text").size() + 1 == text_lines.size());  // a summary has no line for people
  for (const std::string& line : examples("text")) {
    INFO(line);
    CHECK(text_lines.count(line) == 1);
  }
  for (const std::string& line : examples("json")) {
    INFO(line);
    CHECK(json_lines.count(line) == 1);
  }
}

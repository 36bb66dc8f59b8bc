#include "contextual/record/log_lines.hpp"
#include "sample_events.hpp"
#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <limits>

namespace json_format_test {

using namespace contextual::record;
using nlohmann::json;

TEST_CASE("to_json_line: a config keeps names, types and values", "[unit]") {
  LaunchRow row = samples::launch();
  row.config.values = contextual::Config{{"N", 1}, {"F", 1.0}, {"ON", false}, {"WHO", "x\"y"}};
  const json parsed = json::parse(to_json_line(samples::event(row)));
  CHECK(parsed["config"]["N"].is_number_integer());
  CHECK(parsed["config"]["F"].is_number_float());
  CHECK(parsed["config"]["ON"] == false);
  CHECK(parsed["config"]["WHO"] == "x\"y");
}

TEST_CASE("to_json_line: times that are missing are null, the field stays", "[unit]") {
  LaunchRow row = samples::launch();
  row.local_ns.reset();
  row.agreed_ns.reset();
  row.makespan_ns.reset();
  const json parsed = json::parse(to_json_line(samples::event(row)));
  for (const char* field : {"local_time_ns", "agreed_time_ns", "makespan_ns", "config_centre_ns"}) {
    CHECK(parsed.at(field).is_null());
  }
}

TEST_CASE("to_json_line: large times stay exact, what is not finite is null", "[unit]") {
  LaunchRow row = samples::launch();
  row.local_ns = std::numeric_limits<std::int64_t>::max();
  row.centre_ns = std::numeric_limits<double>::quiet_NaN();
  const json parsed = json::parse(to_json_line(samples::event(row)));
  CHECK(parsed["local_time_ns"].get<std::int64_t>() == std::numeric_limits<std::int64_t>::max());
  CHECK(parsed["config_centre_ns"].is_null());
}

TEST_CASE("to_json_line: any text stays one line of valid JSON", "[unit]") {
  using namespace std::string_literals;
  const std::string nasty = "line\nfeed \0 \xff\xfe {} \"quoted\" \\ \xc3\xa4"s;
  const std::string line = to_json_line({"run", 0, nasty, Warning{nasty}});
  CHECK(line.find('\n') == std::string::npos);
  const json parsed = json::parse(line);
  CHECK_THAT(parsed["text"].get<std::string>(), ContainsSubstring("\"quoted\" \\ \xc3\xa4"));
}

TEST_CASE("to_json_line: an empty config is an object, an empty list of entries a list", "[unit]") {
  Rejected rejected = samples::rejected();
  rejected.config.values = {};
  CHECK(json::parse(to_json_line(samples::event(rejected)))["config"] == json::object());
  SearchResult search = samples::search();
  search.measured.clear();
  search.reference_config_ids.clear();
  const json parsed = json::parse(to_json_line(samples::event(search)));
  CHECK(parsed["measured"] == json::array());
  CHECK(parsed["reference_config_ids"] == json::array());
}

TEST_CASE("to_json_line: what is unknown in the entries of lists is null", "[unit]") {
  SearchResult search = samples::cut_search();
  search.problems[0].config_id.reset();
  search.measured[1].makespan_ns.reset();
  const json parsed = json::parse(to_json_line(samples::event(search)));
  CHECK(parsed["problems"][0]["config_id"].is_null());
  CHECK(parsed["measured"][1]["config_ids"] == json::array({2, 0}));
  CHECK(parsed["measured"][1]["makespan_ns"].is_null());
  CHECK(parsed["measured"][1]["standing"] == "within noise");
  CHECK(parsed["gain"].is_null());
}

}  // namespace json_format_test

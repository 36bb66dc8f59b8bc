#include "contextual/record/log_lines.hpp"
#include "report/reading/logs.hpp"
#include "support/catch.hpp"
#include "unit/record/sample_events.hpp"

namespace decode_test {

using namespace contextual::log_report;
using Catch::Matchers::StartsWith;
namespace samples = contextual::record::samples;

namespace {

std::string damage(const std::string& line) {
  TextPool pool;
  try {
    decode_line(line, pool);
  } catch (const DamagedLine& error) {
    return error.what();
  }
  return "";
}

std::string with(std::string line, const std::string& from, const std::string& to) {
  const std::size_t at = line.find(from);
  REQUIRE(at != std::string::npos);
  return line.replace(at, from.size(), to);
}

std::string launch_line() {
  return contextual::record::to_json_line(samples::event(samples::launch()));
}

}  // namespace

TEST_CASE("decode_line: knows every event and field that the library writes", "[unit]") {
  TextPool pool;
  for (const auto& event : samples::all()) {
    const std::optional<Event> decoded = decode_line(contextual::record::to_json_line(event), pool);
    INFO(contextual::record::to_json_line(event));
    REQUIRE(decoded.has_value());
    CHECK(decoded->run_id == samples::event({}).run_id);
    CHECK(decoded->region == "ag_gemm");
  }
}

TEST_CASE("decode_line: a launch keeps its values, and its config the order of its parameters", "[unit]") {
  TextPool pool;
  const std::optional<Event> decoded = decode_line(launch_line(), pool);
  const auto& launch = std::get<Launch>(decoded->body);
  CHECK(launch.phase == contextual::Phase::walk);
  CHECK(launch.tuning_iteration == 17);
  CHECK(launch.role == LaunchRole::repeat);
  CHECK(launch.step_iteration == 2);
  CHECK(launch.local_ns == 118'000);
  CHECK(launch.agreed_ns == 121'000);
  CHECK(launch.makespan_ns == 350'000);
  CHECK(launch.local_makespan_ns == 346'000);
  CHECK(launch.config.problem->kernel == "gemm");
  CHECK(launch.config.problem->key == "(4096, 4096, bf16)");
  CHECK(launch.config.id == 1);
  CHECK(launch.config.values ==
        ConfigText{"{BLOCK_N: 128, SWIZZLE: true, IMPL: mma}", "BLOCK_N, SWIZZLE, IMPL", "128, true, mma"});
}

TEST_CASE("decode_line: a search keeps its lists and every value in them", "[unit]") {
  TextPool pool;
  const std::optional<Event> decoded =
      decode_line(contextual::record::to_json_line(samples::event(samples::search())), pool);
  const auto& search = std::get<SearchResult>(decoded->body);
  REQUIRE(search.problems.size() == 2);
  CHECK(search.problems[0].problem == pool.problem("gemm", "(4096, 4096, bf16)"));
  CHECK(search.problems[0].chosen_by == contextual::ChosenBy::makespan);
  CHECK(search.problems[0].config_id == 1);
  CHECK(search.problems[0].own_time_config_id == 2);
  CHECK(search.existing_count == 4);
  CHECK(search.measured_count == 3);
  CHECK(search.failed_count == 1);
  CHECK(search.run_count == 44);
  CHECK(search.lead_in_count == 20);
  REQUIRE(search.measured.size() == 3);
  CHECK(search.measured[1] == MeasuredAssignment{{1, 0}, 7, 310'000, 1'500, Standing::choice});
  REQUIRE(search.infeasible.size() == 1);
  CHECK(search.infeasible[0] == InfeasibleAssignment{{2, 0}, "rank 1: no progress in 1000 ms"});
  CHECK(search.reason == "the shortest makespan, 11.4 % shorter than the defaults");
  CHECK(search.cut.empty());
  CHECK(search.reference == contextual::SearchReference::defaults);
  CHECK(search.reference_config_ids == std::vector<std::int64_t>{0, 0});
  CHECK(search.round_count == 5);
  CHECK(search.reference_makespan_ns == 350'000);
  CHECK(search.gain == 0.114);
  CHECK(search.gain_low == 0.108);
  CHECK(search.gain_high == 0.12);
  CHECK(search.lost == std::vector<LostAssignment>{{{3, 0}, 0.014, -0.11, 0.125}});
  CHECK_FALSE(search.own_time_cost.has_value());
  CHECK_FALSE(search.unsure);
}

TEST_CASE("decode_line: a search without a choice, cut, with ties", "[unit]") {
  TextPool pool;
  auto event = samples::cut_search();
  event.problems[0].config_id.reset();
  const std::optional<Event> decoded =
      decode_line(contextual::record::to_json_line(samples::event(event)), pool);
  const auto& search = std::get<SearchResult>(decoded->body);
  CHECK_FALSE(search.problems[0].config_id.has_value());
  CHECK(search.measured[1].standing == Standing::within_noise);
  CHECK(search.within_noise_count == 1);
  CHECK(search.cut == "its budget of 20 runs is spent");
  CHECK(search.own_time_cost == 0.0016);
  CHECK(search.unsure);
  CHECK_FALSE(search.gain.has_value());
}

TEST_CASE("decode_line: what is wrong in the lists of a search is said by field", "[unit]") {
  const std::string line = contextual::record::to_json_line(samples::event(samples::search()));
  CHECK(damage(with(line, "\"config_ids\":[0,0]", "\"config_ids\":[0,-1]")) ==
        "\"config_ids\" is out of range");
  CHECK(damage(with(line, "\"config_ids\":[0,0]", "\"config_ids\":7")) == "\"config_ids\" is not a list");
  CHECK(damage(with(line, "\"choice\"", "\"best\"")) == "\"standing\" is none of the words it can be");
  CHECK(damage(with(line, "\"measured\":[", "\"measured\":[7,")) == "not an object");
  CHECK(damage(with(line, "\"own time\"", "\"dice\"")) == "\"chosen_by\" is none of the words it can be");
}

TEST_CASE("decode_line: unknown events and fields are ignored, missing new fields are not damage", "[unit]") {
  TextPool pool;
  CHECK_FALSE(decode_line(with(launch_line(), "\"launch\"", "\"teleport\""), pool).has_value());
  CHECK(decode_line(with(launch_line(), "\"status\"", "\"mood\":[1,{}],\"status\""), pool).has_value());
  const auto old = decode_line(with(launch_line(), ",\"local_makespan_ns\":346000", ""), pool);
  CHECK_FALSE(std::get<Launch>(old->body).local_makespan_ns.has_value());
}

TEST_CASE("decode_line: what is wrong is said by field", "[unit]") {
  CHECK(damage(with(launch_line(), "\"kernel\":\"gemm\"", "\"kernel\":5")) == "\"kernel\" is not a string");
  CHECK(damage(with(launch_line(), "\"rank\":0", "\"rank\":-1")) == "\"rank\" is out of range");
  CHECK(damage(with(launch_line(), "\"rank\":0", "\"rank\":99999999999")) == "\"rank\" is out of range");
  CHECK(damage(with(launch_line(), "\"rank\":0,", "")) == "no \"rank\"");
  CHECK(damage(with(launch_line(), "17", "1.5")) == "\"tuning_iteration\" is not an integer");
  CHECK(damage(with(launch_line(), "118000", "18446744073709551615")) == "\"local_time_ns\" is out of range");
  CHECK(damage(with(launch_line(), "118000", "1e999")) == "a number out of range");
  CHECK(damage(with(launch_line(), "{\"BLOCK_N\":128", "{\"BLOCK_N\":[128]")) ==
        "\"config\" is not an object of names and plain values");
  CHECK_THAT(damage(launch_line().substr(0, 100)), StartsWith("no JSON from byte"));
  CHECK_THAT(damage("\xff\xfe"), StartsWith("no JSON"));
  CHECK(damage("[1, 2]") == "not an object");
  CHECK(damage("17") == "not an object");
}

TEST_CASE("decode_line: an iteration of 10^18 is kept as it is", "[unit]") {
  TextPool pool;
  const auto decoded = decode_line(with(launch_line(), "17", "1000000000000000000"), pool);
  CHECK(std::get<Launch>(decoded->body).tuning_iteration == 1'000'000'000'000'000'000);
}

TEST_CASE("decode_line: deep nesting ends before a parser recurses", "[unit]") {
  const std::string deep(1'000'000, '[');
  CHECK_THAT(damage(with(launch_line(), "128", deep + std::string(1'000'000, ']'))),
             StartsWith("nested deeper"));
  CHECK_THAT(damage(deep), StartsWith("nested deeper"));
}

TEST_CASE("decode_line: an object of very many members ends before each is looked up among all", "[unit]") {
  std::string members;
  for (int i = 0; i < 100'000; ++i) {
    members += (i == 0 ? "{\"" : ",\"") + std::to_string(i) + "\":0";
  }
  CHECK_THAT(damage(with(launch_line(), "128", members + '}')), StartsWith("an object of more than 1024"));
}

TEST_CASE("decode_line: names cannot move a terminal's cursor", "[unit]") {
  TextPool pool;
  const auto decoded =
      decode_line(with(launch_line(), "\"gemm\"", "\"a\\u001b[2J\\u0000\\u202eb\\nc\""), pool);
  const std::string_view kernel = std::get<Launch>(decoded->body).config.problem->kernel;
  CHECK(kernel == "a\\x1b[2J\\x00\\u202eb\\nc");
}

}  // namespace decode_test

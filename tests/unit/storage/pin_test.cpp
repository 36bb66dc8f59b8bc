#include "contextual/storage/pin.hpp"

#include "support/catch.hpp"

#include <string>
#include <vector>

namespace pin_test {

using namespace contextual;
using namespace contextual::storage;

namespace {

PinFile file_of(const std::string& text) {
  return {"/cache/choices/r/mine.pin", text, ""};
}

}  // namespace

TEST_CASE("pin_text: is read back as it was", "[unit]") {
  std::vector<Pin> pins(2);
  pins[0] = {"", "gemm", "{M: 512}", make_key(512), 7, Config{{"BLOCK", 64}, {"HALF", true}}, {}};
  pins[1] = {"", "pair", "", {}, {}, {}, 3};
  const ParsedPins parsed = parse_pins(file_of(pin_text("r", pins)), "r");
  CHECK(parsed.problem.empty());
  for (Pin& pin : pins) {
    pin.file = "/cache/choices/r/mine.pin";
  }
  CHECK(parsed.pins == pins);
}

TEST_CASE("pinned_region: the region that a pin file names, or none", "[unit]") {
  CHECK(pinned_region(pin_text("a/b", {})) == "a/b");
  for (const std::string text : {"", "{", "[]", "{\"region\": 1}", "{\"pins\": []}"}) {
    CHECK(pinned_region(text).empty());
  }
}

TEST_CASE("parse_pins: a person need only write a kernel and a config", "[unit]") {
  const ParsedPins parsed =
      parse_pins(file_of(R"({"region": "r", "pins": [{"kernel": "gemm", "config": {"BLOCK": 64}}]})"), "r");
  REQUIRE(parsed.pins.size() == 1);
  CHECK(parsed.pins[0].of_every_key());
  CHECK(parsed.pins[0].config == Config{{"BLOCK", 64}});
}

TEST_CASE("key_text_problem: texts of keys have none, whatever is in them", "[unit]") {
  for (const char* text :
       {"", "()", "(7)", "{M: 512}", "((1, 2), [3])", "(way (1) in b)", "(a, )), b)", "(()"}) {
    INFO(text);
    CHECK(key_text_problem(text).empty());
  }
  for (const char* text : {"7", "(7) in way", "() in fn (7): {TILE: 1}", "{M: 7} in way (1)"}) {
    INFO(text);
    CHECK_THAT(key_text_problem(text), ContainsSubstring("pin a kept set"));
  }
}

TEST_CASE("parse_pins: what makes no sense pins nothing, and the problem names the file", "[unit]") {
  const std::vector<std::string> texts{
      "",
      "[]",
      R"({"region": "other", "pins": []})",
      R"({"region": "r"})",
      R"({"region": "r", "pins": [{"kernel": "gemm"}]})",
      R"({"region": "r", "pins": [{"config": {"BLOCK": 64}}]})",
      R"({"region": "r", "pins": [{"kernel": "gemm", "config": 64}]})",
      R"({"region": "r", "pins": [{"kernel": "gemm", "config_id": -1}]})",
      R"({"region": "r", "pins": [{"kernel": "gemm", "config": {"BLOCK": 64}, "kye": "64"}]})",
      R"({"region": "r", "pins": [], "machine": "any"})",
      R"({"region": "r", "pins": [{"kernel": "gemm", "key": "(7) in way", "config_id": 1}]})",
      R"-({"region": "r", "pins": [{"kernel": "gemm", "key": "() in fn (7): {TILE: 1}", "config_id": 1}]})-",
      R"-({"region": "r", "pins": [{"kernel": "gemm", "key": "{M: 7} in way (1)", "config_id": 1}]})-",
      std::string(100, '['),
  };
  for (const std::string& text : texts) {
    const ParsedPins parsed = parse_pins(file_of(text), "r");
    INFO(text);
    CHECK(parsed.pins.empty());
    CHECK_THAT(parsed.problem, ContainsSubstring("/cache/choices/r/mine.pin"));
  }
  PinFile refused = file_of(pin_text("r", {}));
  refused.refusal = "it is not believed";
  CHECK(parse_pins(refused, "r").problem == "it is not believed");
}

}  // namespace pin_test

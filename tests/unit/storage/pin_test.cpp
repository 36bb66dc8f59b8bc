#include "contextual/storage/pin.hpp"

#include "support/catch.hpp"

#include <nlohmann/json.hpp>

namespace pin_test {

using namespace contextual;
using namespace contextual::storage;

using Json = nlohmann::json;

TEST_CASE("pins_of: what is written is read back as it was") {
  std::vector<Pin> pins(2);
  pins[0] = {"r.json", "gemm", "{M: 512}", make_key(512), 7, Config{{"BLOCK", 64}, {"HALF", true}}, {}};
  pins[1] = {"r.json", "pair", "", {}, {}, {}, 3};
  CHECK(pins_of(Json::parse(json_of(pins).dump()), "r.json") == pins);
}

TEST_CASE("pins_of: a person need only write a kernel and a config") {
  const std::vector<Pin> pins =
      pins_of(Json::parse(R"([{"kernel": "gemm", "config": {"BLOCK": 64}}])"), "r.json");
  CHECK(only(pins).of_every_key());
  CHECK(pins[0].config == Config{{"BLOCK", 64}});
}

TEST_CASE("key_text_problem: texts of keys have none, whatever is in them") {
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

TEST_CASE("pins_of: what makes no sense is refused") {
  for (const std::string text : {
           R"({})",
           R"([{"kernel": "gemm"}])",
           R"([{"config": {"BLOCK": 64}}])",
           R"([{"kernel": "gemm", "config": 64}])",
           R"([{"kernel": "gemm", "config_id": -1}])",
           R"([{"kernel": "gemm", "config": {"BLOCK": 64}, "kye": "64"}])",
           R"([{"kernel": "gemm", "key": "(7) in way", "config_id": 1}])",
           R"-([{"kernel": "gemm", "key": "() in fn (7): {TILE: 1}", "config_id": 1}])-",
           R"-([{"kernel": "gemm", "key": "{M: 7} in way (1)", "config_id": 1}])-",
       }) {
    INFO(text);
    CHECK_THROWS(pins_of(Json::parse(text), "r.json"));
  }
}

TEST_CASE("pin: one without a key is for every key, within its alternatives") {
  Pin pin;
  CHECK(pin.is_for(make_key(1), "(1)", 7));
  pin.scope = 3;
  CHECK_FALSE(pin.is_for(make_key(1), "(1)", 7));
  CHECK(pin.is_for(make_key(1), "(1)", 3));
}

TEST_CASE("pin: a text is for the key that it names, also within an alternative") {
  Pin pin;
  pin.key_text = "(1)";
  CHECK(pin.is_for(make_key(1), "(1)", 0));
  CHECK(pin.is_for(make_key(1), "(1) in gemm (2): split", 5));
  CHECK_FALSE(pin.is_for(make_key(12), "(12)", 0));
  CHECK_FALSE(pin.is_for(make_key(1), "(1)2", 0));
}

TEST_CASE("pin: words count instead of a text, and a long key needs them") {
  const Key key = make_key(std::vector<int>(20, 1));
  const std::string text = key.to_string();
  Pin pin;
  pin.key_text = text;
  CHECK_FALSE(pin.is_for(key, text, 0));
  pin.key = key;
  CHECK(pin.is_for(key, "what it is called now", 0));
  CHECK_FALSE(pin.is_for(make_key(std::vector<int>(20, 2)), text, 0));
}

}  // namespace pin_test

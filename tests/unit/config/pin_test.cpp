#include "contextual/config/pin.hpp"

#include "support/catch.hpp"

namespace pin_test {

using contextual::Key;
using contextual::make_key;
using contextual::detail::Pin;

TEST_CASE("pin: one without a key is for every key, within its alternatives", "[unit]") {
  Pin pin;
  CHECK(pin.is_for(make_key(1), "(1)", 7));
  pin.scope = 3;
  CHECK_FALSE(pin.is_for(make_key(1), "(1)", 7));
  CHECK(pin.is_for(make_key(1), "(1)", 3));
}

TEST_CASE("pin: a text is for the key that it names, also within an alternative", "[unit]") {
  Pin pin;
  pin.key_text = "(1)";
  CHECK(pin.is_for(make_key(1), "(1)", 0));
  CHECK(pin.is_for(make_key(1), "(1) in gemm (2): split", 5));
  CHECK_FALSE(pin.is_for(make_key(12), "(12)", 0));
  CHECK_FALSE(pin.is_for(make_key(1), "(1)2", 0));
}

TEST_CASE("pin: words count instead of a text, and a long key needs them", "[unit]") {
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

#include "support/catch.hpp"

#include <contextual/error.hpp>
#include <contextual/key.hpp>

#include <limits>
#include <set>
#include <string>

using contextual::InvalidArgument;
using contextual::Key;
using contextual::make_key;

namespace {
enum class Dtype : std::uint8_t { fp32 = 3, bf16 = 7 };
}

TEST_CASE("key: equal parts give equal keys and hashes", "[unit]") {
  const Key a = make_key(4096, 4096L, std::string("bf16"));
  const Key b = make_key(4096, 4096L, "bf16");
  REQUIRE(a == b);
  REQUIRE(a.hash() == b.hash());
}

TEST_CASE("key: other value, order, count or type gives another key and hash", "[unit]") {
  const Key keys[] = {make_key(),          make_key(0),    make_key(0, 0),  make_key(1),
                      make_key(1U),        make_key(true), make_key(1.0),   make_key(1, 2),
                      make_key(2, 1),      make_key("1"),  make_key(-1),    make_key(1.0, -1.0),
                      make_key(-1.0, 1.0), make_key(""),   make_key("", "")};
  std::set<std::uint64_t> hashes;
  for (const Key& a : keys) {
    hashes.insert(a.hash());
    for (const Key& b : keys) {
      REQUIRE((a == b) == (&a == &b));
    }
  }
  REQUIRE(hashes.size() == std::size(keys));
}

TEST_CASE("key: hash is the same in every run and on every platform", "[unit]") {
  REQUIRE(make_key(4096, 8192, 128, "bf16", true, 0.5).hash() == 0xc49690278eb7c63dULL);
}

TEST_CASE("key: hashes of many shapes do not collide", "[unit]") {
  std::set<std::uint64_t> hashes;
  for (int m = 1; m <= 32; ++m) {
    for (int n = 1; n <= 32; ++n) {
      for (int k = 1; k <= 32; ++k) {
        hashes.insert(make_key(m * 128, n * 128, k * 64).hash());
      }
    }
  }
  REQUIRE(hashes.size() == 32U * 32U * 32U);
}

TEST_CASE("key: texts cut at other places are other keys and print back", "[unit]") {
  REQUIRE_FALSE(make_key("ab", "c") == make_key("a", "bc"));
  REQUIRE_FALSE(make_key("abcdefghi") == make_key("abcdefgh", "i"));
  REQUIRE_FALSE(make_key("abcdefgh") == make_key("abcdefgh", ""));
  REQUIRE(make_key("ab", "c").to_string() == "(ab, c)");
  REQUIRE(make_key("abcdefghi").to_string() == "(abcdefghi)");
  REQUIRE(make_key("abcdefgh", "i").to_string() == "(abcdefgh, i)");
  REQUIRE(make_key("gr\xc3\xbc\xc3\x9f", "").to_string() == "(gr\xc3\xbc\xc3\x9f, )");
}

TEST_CASE("key: every kind of part prints as it was given", "[unit]") {
  REQUIRE(Key{}.to_string() == "()");
  REQUIRE(make_key(-4, 7U, true, false, 0.5, 2.0, Dtype::bf16).to_string() ==
          "(-4, 7, true, false, 0.5, 2.0, 7)");
  REQUIRE(make_key(std::numeric_limits<std::uint64_t>::max()).to_string() == "(18446744073709551615)");
  REQUIRE(make_key(std::numeric_limits<std::int64_t>::min()).to_string() == "(-9223372036854775808)");
}

TEST_CASE("key: -0 is 0 and every NaN is the same", "[unit]") {
  REQUIRE(make_key(-0.0) == make_key(0.0));
  REQUIRE(make_key(std::numeric_limits<double>::quiet_NaN()) ==
          make_key(-std::numeric_limits<float>::quiet_NaN()));
}

TEST_CASE("key: too many words throw and say so", "[unit]") {
  REQUIRE_NOTHROW(make_key(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
  REQUIRE_THROWS_WITH(make_key(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13),
                      ContainsSubstring("more than 12 words"));
  REQUIRE_NOTHROW(make_key(std::string(96, 'x')));
  REQUIRE_THROWS_AS(make_key(std::string(97, 'x')), InvalidArgument);
}

TEST_CASE("key: text with a NUL character is refused", "[unit]") {
  REQUIRE_THROWS_WITH(make_key(std::string("ab\0c", 4)),
                      ContainsSubstring("\"ab\"") && ContainsSubstring("NUL"));
}

TEST_CASE("key: integers and booleans are usable in constant expressions", "[unit]") {
  constexpr Key key = make_key(3, true);
  static_assert(key.size() == 2 && key.type(1) == Key::Type::boolean && key == make_key(3, true));
  static_assert(contextual::single_problem(1, "x") == Key{});
  REQUIRE(key.word(0) == 3);
}

#include "contextual/config/digested_words.hpp"
#include "contextual/config/key_part_texts.hpp"
#include "support/catch.hpp"

#include <contextual/detail/config/hex_text.hpp>
#include <contextual/error.hpp>
#include <contextual/key.hpp>

#include <filesystem>
#include <forward_list>
#include <limits>
#include <list>
#include <ranges>
#include <span>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace contextual::detail::key_test {

namespace {

enum class Dtype : std::uint8_t { fp32 = 3, bf16 = 7 };

template <typename T>
concept Part = detail::NumberPart<T> || detail::TextPart<T> || detail::RangePart<T>;

/// Appended number by number.
Key counted_key(int first, int count) {
  Key key;
  for (int i = 0; i < count; ++i) {
    key.append(first + i);
  }
  return key;
}

/// No two of them are equal, and no two hashes.
void check_all_differ(const std::vector<Key>& keys) {
  std::set<std::uint64_t> hashes;
  for (const Key& a : keys) {
    hashes.insert(a.hash());
    for (const Key& b : keys) {
      INFO(a.to_string() << " and " << b.to_string());
      CHECK((a == b) == (&a == &b));
    }
  }
  CHECK(hashes.size() == keys.size());
}

std::string text_of(const std::vector<KeyWord>& words, const std::vector<std::string>& names = {}) {
  return detail::key_text(words, names);
}

}  // namespace

TEST_CASE("key: equal parts give equal keys and hashes") {
  const Key a = make_key(4096, 4096L, std::string("bf16"));
  const Key b = make_key(4096, 4096L, "bf16");
  REQUIRE(a == b);
  REQUIRE(a.hash() == b.hash());
}

TEST_CASE("key: other value, order, count or type gives another key and hash") {
  check_all_differ({make_key(), make_key(0), make_key(0, 0), make_key(1), make_key(1U), make_key(true),
                    make_key(1.0), make_key(1, 2), make_key(2, 1), make_key("1"), make_key(-1),
                    make_key(1.0, -1.0), make_key(-1.0, 1.0), make_key(""), make_key("", "")});
}

TEST_CASE("key: hash is the same in every run and on every platform") {
  REQUIRE(make_key(4096, 8192, 128, "bf16", true, 0.5).hash() == 0xc49690278eb7c63dULL);
}

TEST_CASE("key: hashes of many shapes do not collide") {
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

TEST_CASE("key: texts cut at other places are other keys and print back") {
  REQUIRE_FALSE(make_key("ab", "c") == make_key("a", "bc"));
  REQUIRE_FALSE(make_key("abcdefghi") == make_key("abcdefgh", "i"));
  REQUIRE_FALSE(make_key("abcdefgh") == make_key("abcdefgh", ""));
  REQUIRE(make_key("ab", "c").to_string() == "(ab, c)");
  REQUIRE(make_key("abcdefghi").to_string() == "(abcdefghi)");
  REQUIRE(make_key("abcdefgh", "i").to_string() == "(abcdefgh, i)");
  REQUIRE(make_key("gr\xc3\xbc\xc3\x9f", "").to_string() == "(gr\xc3\xbc\xc3\x9f, )");
}

TEST_CASE("key: every kind of part prints as it was given") {
  REQUIRE(Key{}.to_string() == "()");
  REQUIRE(make_key(-4, 7U, true, false, 0.5, 2.0, Dtype::bf16).to_string() ==
          "(-4, 7, true, false, 0.5, 2.0, 7)");
  REQUIRE(make_key(std::numeric_limits<std::uint64_t>::max()).to_string() == "(18446744073709551615)");
  REQUIRE(make_key(std::numeric_limits<std::int64_t>::min()).to_string() == "(-9223372036854775808)");
}

TEST_CASE("key: -0 is 0 and every NaN is the same") {
  REQUIRE(make_key(-0.0) == make_key(0.0));
  REQUIRE(make_key(std::numeric_limits<double>::quiet_NaN()) ==
          make_key(-std::numeric_limits<float>::quiet_NaN()));
}

TEST_CASE("key: text with a NUL character is refused") {
  REQUIRE_THROWS_WITH(make_key(std::string("ab\0c", 4)),
                      ContainsSubstring("\"ab\"") && ContainsSubstring("NUL"));
}

TEST_CASE("key: integers and booleans are usable in constant expressions") {
  constexpr Key key = make_key(3, true);
  static_assert(key.size() == 2 && key.type(1) == Key::Type::boolean && key == make_key(3, true));
  static_assert(single_problem(1, "x") == Key{});
  REQUIRE(key.word(0) == 3);
}

TEST_CASE("key: a range is one part, however it is stored") {
  const std::vector<int> shape{4, 8};
  const std::array<int, 2> array{4, 8};
  const int plain[] = {4, 8};
  const Key key = make_key(shape, "bf16");
  CHECK(key == make_key(array, "bf16"));
  CHECK(key == make_key(plain, "bf16"));
  CHECK(key == make_key(std::span<const int>(shape), "bf16"));
  CHECK(key == make_key(std::list<int>{4, 8}, "bf16"));
  CHECK(key == make_key(std::initializer_list<int>{4, 8}, "bf16"));
  Key appended;
  appended.append({4, 8});
  appended.append("bf16");
  CHECK(key == appended);
  CHECK(key.size() == 4);
  CHECK(key.to_string() == "([4, 8], bf16)");
  CHECK(key.to_string({"shape", "dtype"}) == "{shape: [4, 8], dtype: bf16}");
}

TEST_CASE("key: tuples, pairs, optionals and ranges of any part print as one part each") {
  CHECK(make_key(std::tuple(1, "two", 3.5), std::pair(Dtype::fp32, false)).to_string() ==
        "((1, two, 3.5), (3, false))");
  CHECK(make_key(std::optional<int>(), std::optional<int>(7)).to_string({"before", "after"}) ==
        "{before: none, after: 7}");
  CHECK(make_key(std::vector<bool>{true, false}).to_string() == "([true, false])");
  CHECK(make_key(std::map<std::string, int>{{"one", 1}, {"two", 2}}).to_string() == "([(one, 1), (two, 2)])");
  CHECK(make_key(std::vector<std::vector<int>>{{1}, {}, {2, 3}}).to_string() == "([[1], [], [2, 3]])");
  CHECK(make_key(std::vector<std::string>{"longer than 8", "b"}, "c").to_string() ==
        "([longer than 8, b], c)");
  const int m = 5;
  CHECK(make_key(std::tie(m, m)) == make_key(std::pair(5, 5)));
  const char text[] = "text";
  CHECK(make_key(text) == make_key(std::string("text")));  // and no range of characters
}

TEST_CASE("key: parts that are grouped in another way are other keys") {
  using Ints = std::vector<int>;
  using Optional = std::optional<int>;
  check_all_differ({make_key(),
                    make_key(0),
                    make_key(Ints{}),
                    make_key(Ints{}, Ints{}),
                    make_key(Ints{0}),
                    make_key(Optional()),
                    make_key(Optional(0)),
                    make_key(std::optional<Optional>(Optional())),
                    make_key(std::optional<Optional>(Optional(0))),
                    make_key(std::tuple()),
                    make_key(std::tuple(0)),
                    make_key(""),
                    make_key(1, 2, 3),
                    make_key(Ints{1, 2}, 3),
                    make_key(1, Ints{2, 3}),
                    make_key(Ints{1, 2}, Ints{3}),
                    make_key(Ints{1}, Ints{2, 3}),
                    make_key(std::pair(1, 2), std::tuple(3)),
                    make_key(std::tuple(1), std::pair(2, 3)),
                    make_key(Ints{1, 2, 3}),
                    make_key(std::vector<Ints>{{1, 2}, {3}}),
                    make_key(std::vector<Ints>{{1}, {2, 3}}),
                    make_key(std::tuple(1, 2, 3)),
                    make_key(Optional(1), 2),
                    make_key(Optional(), 1, 2)});
}

TEST_CASE("key: what has no order or no end is no part") {
  STATIC_REQUIRE(Part<std::vector<int>>);
  STATIC_REQUIRE(Part<std::map<int, int>>);
  STATIC_REQUIRE_FALSE(Part<std::unordered_map<int, int>>);
  STATIC_REQUIRE_FALSE(Part<std::unordered_set<int>>);
  STATIC_REQUIRE_FALSE(Part<std::filesystem::path>);
  STATIC_REQUIRE_FALSE(Part<int*>);
}

TEST_CASE("key: a view of what has no order is no part, other views and a forward_list are") {
#if !defined(__clang__) || __clang_major__ > 15  // earlier ones cannot compile the views of libstdc++
  using Map = std::unordered_map<int, int>;
  using Set = std::unordered_set<int>;
  STATIC_REQUIRE_FALSE(Part<decltype(std::views::keys(std::declval<const Map&>()))>);
  STATIC_REQUIRE_FALSE(Part<std::ranges::subrange<Set::const_iterator>>);
  STATIC_REQUIRE_FALSE(Part<std::ranges::ref_view<const Set>>);
  const std::map<int, int> ordered{{1, 10}, {2, 20}};
  CHECK(make_key(std::views::keys(ordered)) == make_key(std::vector<int>{1, 2}));
  const auto doubled = std::vector<int>{1, 2};
  CHECK(make_key(doubled | std::views::transform([](int n) { return 2 * n; })).to_string() == "([2, 4])");
#endif
  CHECK(make_key(std::forward_list<int>{4, 8}) == make_key(std::vector<int>{4, 8}));
}

TEST_CASE("key: a number of more bits than a word has is no part") {
  __extension__ using Wide = __int128;  // arithmetic by GNU's standards only
  STATIC_REQUIRE_FALSE(Part<Wide>);
  STATIC_REQUIRE(Part<long double> == (sizeof(long double) <= 8));
  STATIC_REQUIRE(Part<double>);
}

TEST_CASE("key: up to 12 words are kept as they are, more become a digest") {
  const Key longest = make_key(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
  CHECK(longest.size() == Key::capacity);
  CHECK_FALSE(longest.is_digest());
  const Key key = make_key(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13);
  REQUIRE(key.is_digest());
  REQUIRE(key.size() == 2);
  CHECK(key.type(0) == Key::Type::digest);
  CHECK(key.type(1) == Key::Type::digest);
  CHECK_FALSE(make_key(std::string(96, 'x')).is_digest());
  CHECK(make_key(std::string(97, 'x')).is_digest());
  CHECK(key == counted_key(1, 13));
  CHECK_FALSE(key == counted_key(1, 14));
  CHECK_FALSE(key == make_key(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13U));
}

TEST_CASE("key: a digest is the same in every process and on every platform") {
  constexpr Key key =
      make_key(4096, -1, true, std::pair(1U, 2U), std::array{1, 2, 3, 4, 5, 6, 7}, std::optional<int>(), 1.5);
  STATIC_REQUIRE(key.is_digest());
  CHECK(key.word(0) == 0x8fa998fd18dc3459ULL);
  CHECK(key.word(1) == 0x3578cd14215673f2ULL);
  CHECK(key.hash() == 0x684e4529f457fe78ULL);
  CHECK(make_key(std::string(100, 'x'), "bf16").word(0) == 0xcfade93b09245dcULL);
}

TEST_CASE("key: digests of long keys that are nearly alike do not collide, in either half") {
  std::set<std::uint64_t> first;
  std::set<std::uint64_t> second;
  std::set<std::uint64_t> hashes;
  constexpr int words = 20;
  const auto add = [&](const std::vector<std::int64_t>& parts) {
    Key key;
    key.append_word(Key::Type::range, words);
    for (const std::int64_t part : parts) {
      key.append_word(Key::Type::signed_integer, static_cast<std::uint64_t>(part));
    }
    first.insert(key.word(0));
    second.insert(key.word(1));
    hashes.insert(key.hash());
  };
  std::size_t count = 0;
  for (int a = 0; a < words; ++a) {
    for (int b = 0; b < a; ++b) {
      for (int value = 1; value <= 64; ++value) {
        std::vector<std::int64_t> parts(words);
        parts[static_cast<std::size_t>(a)] = value;
        parts[static_cast<std::size_t>(b)] = -value;
        add(parts);
        parts[static_cast<std::size_t>(b)] = value * 64;
        add(parts);
        count += 2;
      }
    }
  }
  CHECK(first.size() == count);
  CHECK(second.size() == count);
  CHECK(hashes.size() == count);
}

TEST_CASE("key: a long key shows its digest, without names") {
  const Key key = make_key(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1'000'003);
  REQUIRE(key.is_digest());
  const std::string digest = "digest " + detail::hex_text(key.word(0)) + detail::hex_text(key.word(1));
  CHECK(key.to_string() == "(" + digest + ")");
  CHECK(key.to_string({"M"}) == "{" + digest + "}");
  constexpr Key early = make_key(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1'000'003);
  CHECK(early == key);
}

TEST_CASE("digested words: a long key is made of all of its parts") {
  const DigestedWords digested;
  const auto large = std::numeric_limits<std::uint64_t>::max();
  const auto small = std::numeric_limits<std::int64_t>::min();
  const Key key = make_key(std::vector<std::uint64_t>(10, large), small, -1, 127, 128, 0.5, "bf16");
  REQUIRE(key.is_digest());
  std::string all = "{shape: [";
  for (int i = 0; i < 10; ++i) {
    all += (i > 0 ? ", " : "") + std::to_string(large);
  }
  CHECK(text_of(digested.words_of(key), {"shape", "least"}) ==
        all + "], least: " + std::to_string(small) + ", -1, 127, 128, 0.5, bf16}");
  CHECK(text_of(digested.words_of(make_key(4, "short"))) == "(4, short)");
}

TEST_CASE("digested words: keys that grow from one long key have parts of their own, as that key has") {
  const DigestedWords digested;
  const Key base = counted_key(501, 14);
  std::vector<Key> grown;
  for (const char* name : {"gemm", "norm", "copy"}) {
    grown.push_back(base);
    grown.back().append(name);
    grown.back().append(std::pair(7, 8));
  }
  const std::string parts = "(501, 502, 503, 504, 505, 506, 507, 508, 509, 510, 511, 512, 513, 514";
  CHECK(text_of(digested.words_of(grown[0])) == parts + ", gemm, (7, 8))");
  CHECK(text_of(digested.words_of(grown[1])) == parts + ", norm, (7, 8))");
  CHECK(text_of(digested.words_of(grown[2])) == parts + ", copy, (7, 8))");
  CHECK(text_of(digested.words_of(base)) == parts + ")");
}

TEST_CASE("digested words: what was digested before, elsewhere or by another thread shows as a digest") {
  Key before = counted_key(601, 20);
  const std::string digest = before.to_string();
  const DigestedWords digested;
  CHECK(text_of(digested.words_of(before)) == digest);
  before.append(3);
  CHECK(text_of(digested.words_of(before), {"M"}) == "{" + digest.substr(1, digest.size() - 2) + ", 3}");
  Key of_another;
  std::thread([&of_another] { of_another = counted_key(701, 20); }).join();
  CHECK(text_of(digested.words_of(of_another)) == of_another.to_string());
}

TEST_CASE("key: words that are no parts print all the same") {
  Key key;
  key.append_word(Key::Type::text_more, 0x41);
  key.append_word(Key::Type::optional, 1);
  key.append_word(Key::Type::range, 5);
  key.append_word(Key::Type::digest, 2);
  CHECK(key.to_string() == "(A, [digest 0000000000000002])");
}

}  // namespace contextual::detail::key_test

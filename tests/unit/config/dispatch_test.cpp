#include "support/catch.hpp"

#include <contextual/dispatch.hpp>
#include <contextual/error.hpp>

#include <type_traits>

namespace contextual::dispatch_test {

namespace {
enum class Path { scalar, vector };
}

TEST_CASE("dispatch: a listed value selects its instance and returns its result") {
  for (const int value : {128, 256, 512}) {
    REQUIRE(dispatch<128, 256, 512>(value, [&]<int BN> { return BN; }) == value);
  }
  int seen = 0;
  dispatch<128, 256>(256, [&]<int BN> { seen = BN; });
  REQUIRE(seen == 256);
  static_assert(dispatch<1, 2>(2, []<int N> { return N * 10; }) == 20);
}

TEST_CASE("dispatch: references and void pass through") {
  int x = 0;
  decltype(auto) same = dispatch<1, 2>(1, [&]<int>() -> int& { return x; });
  static_assert(std::is_same_v<decltype(same), int&>);
  REQUIRE(&same == &x);
  static_assert(std::is_void_v<decltype(dispatch<1>(1, []<int> {}))>);
}

TEST_CASE("dispatch: bool and enumerators are values too") {
  REQUIRE(dispatch<false, true>(true, []<bool B> { return B; }));
  REQUIRE(dispatch<Path::scalar, Path::vector>(Path::vector, []<Path P> { return P; }) == Path::vector);
}

TEST_CASE("dispatch: unknown value is rejected with the value and the list") {
  const auto call = [](int value) { dispatch<128, 256>(value, []<int> {}); };
  REQUIRE_THROWS_AS(call(96), ConfigRejected);
  REQUIRE_THROWS_WITH(call(96), ContainsSubstring("value 96") && ContainsSubstring("(128, 256)"));
}

TEST_CASE("dispatch: a value of another width or sign is not taken for a listed one") {
  REQUIRE_THROWS_AS((dispatch<128>(128LL + (1LL << 32), []<int> {})), ConfigRejected);
  REQUIRE_THROWS_AS((dispatch<-1>(4294967295U, []<int> {})), ConfigRejected);
  REQUIRE(dispatch<128>(128UL, []<int N> { return N; }) == 128);
}

TEST_CASE("dispatch: several dimensions select every combination") {
  for (const int bm : {64, 128}) {
    for (const int bn : {32, 64}) {
      for (const bool swizzle : {false, true}) {
        const int got = dispatch(values<64, 128>(bm), values<32, 64>(bn), values<false, true>(swizzle),
                                 [&]<int BM, int BN, bool S> { return BM * 1000 + BN * 10 + int{S}; });
        REQUIRE(got == bm * 1000 + bn * 10 + int{swizzle});
      }
    }
  }
}

TEST_CASE("dispatch: several dimensions reject an unknown value of any of them") {
  bool called = false;
  const auto call = [&](int bm, int bn) {
    dispatch(values<64, 128>(bm), values<32, 64>(bn), [&]<int, int> { called = true; });
  };
  REQUIRE_THROWS_WITH(call(96, 32), ContainsSubstring("96") && ContainsSubstring("(64, 128)"));
  REQUIRE_THROWS_WITH(call(64, 48), ContainsSubstring("48") && ContainsSubstring("(32, 64)"));
  REQUIRE_FALSE(called);
}

}  // namespace contextual::dispatch_test

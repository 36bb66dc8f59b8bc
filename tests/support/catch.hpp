#pragma once

/// \file
/// Catch2 2 and 3 under one name, with what most tests need of the standard library: who includes this need
/// not include that.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
#else
#include <catch2/catch.hpp>

namespace Catch::Matchers {
using Catch::MatcherBase;
}

/// Catch2 3's name for what Catch2 2 calls Contains.
inline auto ContainsSubstring(const std::string& text) {
  return Catch::Matchers::Contains(text);
}
#endif

/// A text that contains all of these, in any order.
class ContainsAll final : public Catch::Matchers::MatcherBase<std::string> {
 public:
  template <typename... Text>
  explicit ContainsAll(const Text&... texts) : texts_{std::string(texts)...} {}

  bool match(const std::string& whole) const override {
    return std::all_of(texts_.begin(), texts_.end(),
                       [&](const std::string& text) { return whole.find(text) != std::string::npos; });
  }
  std::string describe() const override { return "contains all of " + Catch::Detail::stringify(texts_); }

 private:
  std::vector<std::string> texts_;
};

/// Throws an E made of `args` if that holds: for regions, launchers and hooks that fail on cue.
template <typename E, typename... Args>
void throw_if(bool holds, const Args&... args) {
  if (holds) {
    throw E(args...);
  }
}

/// The only one of them. Fails the test where there is none or another one.
template <typename Items>
decltype(auto) only(const Items& items) {
  REQUIRE(items.size() == 1);
  return *items.begin();
}

namespace contextual::test {

/// The message of the E that `call` throws; another text when it throws nothing or something else.
template <typename E, typename Call>
std::string error_text(Call&& call) {
  try {
    call();
  } catch (const E& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string("[an error of another type: ") + error.what() + "]";
  }
  return "[no error]";
}

/// The E that `call` throws. Fails the test when it throws none.
template <typename E, typename Call>
E caught(Call&& call) {
  try {
    call();
  } catch (const E& error) {
    return error;
  }
  FAIL("no error");
  throw std::logic_error("a failed test goes on");
}

/// What a rank or thread has thrown, as the E that it is.
template <typename E>
E thrown_as(const std::exception_ptr& thrown) {
  REQUIRE(thrown);
  return caught<E>([&] { std::rethrow_exception(thrown); });
}

}  // namespace contextual::test

/// Ends a test case where that does not hold. What is missing has said so, if ctest is to know.
#define ONLY_IF(...)      \
  do {                    \
    if (!(__VA_ARGS__)) { \
      return;             \
    }                     \
  } while (false)

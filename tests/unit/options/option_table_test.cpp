/// \file
/// The table of options: every option has a row, and what goes by the rows does as they say.

#include "contextual/options/option_table.hpp"

#include "contextual/options/resolved_options.hpp"
#include "support/catch.hpp"

#include <contextual/error.hpp>

#include <limits>
#include <tuple>
#include <type_traits>

namespace contextual::option_table_test {

using options::for_each_option;
using options::resolve;
using options::ResolvedOptions;

namespace {

using Table = decltype(options::option_table());

/// Is T the type of an option?
template <typename T, typename... Rows>
constexpr bool is_option_type(std::type_identity<std::tuple<Rows...>> /*of*/) {
  return (std::is_same_v<T, std::remove_cvref_t<decltype(options::set_in(std::declval<const Options&>(),
                                                                         std::declval<Rows>().option))>> ||
          ...);
}

/// Initialises any option.
struct AnyOption {
  template <typename T>
  requires(is_option_type<T>(std::type_identity<Table>()) || std::is_same_v<T, SearchSettings>) operator T()
      const;
};

/// How many members a struct has: with as many values it can be initialised, with one more it cannot.
template <typename Struct, typename... Values>
constexpr std::size_t count_members() {
  if constexpr (requires { Struct{Values()..., AnyOption()}; }) {
    return count_members<Struct, Values..., AnyOption>();
  } else {
    return sizeof...(Values);
  }
}

static_assert(count_members<Options>() - 1 + count_members<SearchSettings>() == std::tuple_size_v<Table>,
              "every option, and every search setting, has one row in option_table()");

std::string error_of(const Options& options) {
  return test::error_text<InvalidArgument>([&] { validate(resolve(options, {}, {})); });
}

}  // namespace

TEST_CASE("options: a row is named once") {
  std::vector<std::string> names;
  for_each_option([&](const auto& row) { names.emplace_back(row.name); });
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
}

TEST_CASE("options: what must be equal on all ranks is compared by name and value") {
  CHECK(resolve({}, {}, {}).agreed_items() ==
        std::vector<std::string>{
            "mode=tune", "n_warmup=3", "n_repeat=5", "iterations=joined", "max_iterations=10000",
            "always_tune=false", "tie_margin=0.005", "search=normal", "search_settings.runs=0",
            "search_settings.time=0ms", "search_settings.closing_rounds=5", "search_settings.factory=joint",
            "feasible=none", "verify=none", "outputs=none", "parts=none", "revalidate=no"});
  const Options other{.mode = Mode::use, .iterations = Iterations::pipelined, .always_tune = true};
  CHECK_THAT(resolve(other, {}, {}).agreed_text(), ContainsSubstring("mode=use ") &&
                                                       ContainsSubstring(" iterations=pipelined ") &&
                                                       ContainsSubstring(" always_tune=true "));
  const Options parts{.parts = std::vector<RegionPart>{{"a \"quoted\" one", [] {}}, {"b", [] {}}}};
  CHECK_THAT(resolve(parts, {}, {}).agreed_text(), ContainsSubstring(R"( parts="a \"quoted\" one","b" )"));
}

TEST_CASE("options: margins that differ in their last digit are told apart") {
  const auto items = [](double margin) { return resolve({.tie_margin = margin}, {}, {}).agreed_items(); };
  CHECK(items(0.005) == items(0.005));
  CHECK(items(0.0050001) != items(0.0050002));
  CHECK(items(1e-9) != items(2e-9));
}

TEST_CASE("options: where ranks may differ, nothing is compared") {
  const Options own{.deadline = std::chrono::seconds(1),
                    .grace = std::chrono::seconds(1),
                    .log_directory = "elsewhere",
                    .print = Print::choices};
  CHECK(resolve(own, {}, {}).agreed_items() == resolve({}, {}, {}).agreed_items());
}

TEST_CASE("options: parts have names of their own, on one line, and callables") {
  const auto error_with = [](const std::vector<RegionPart>& parts) { return error_of({.parts = parts}); };
  const RegionPart a{"a", [] {}};
  CHECK(error_with({a, {"b", [] {}}}) == "[no error]");
  for (const std::string name : {"", "a", "two\nlines", "a\ttab"}) {
    CHECK(error_with({a, {name, [] {}}}) ==
          "option `parts`: \"" + name +
              "\" cannot be the name of a part: give every part a name of its own, in UTF-8, on one line");
  }
  CHECK(error_with({a, {"b", {}}}) == "option `parts`: part \"b\" has no callable");
}

TEST_CASE("options: outputs have names of their own, data, and tolerances that are not negative") {
  const auto error_with = [](const std::vector<Output>& outputs) { return error_of({.outputs = outputs}); };
  float out = 0;
  const Output a = output("a", &out, 1);
  CHECK(error_with({a, output("b", &out, 1)}) == "[no error]");
  CHECK_THAT(error_with({a, a}),
             ContainsSubstring("option `outputs`: \"a\" cannot be the name of an output"));
  CHECK_THAT(error_with({output("", &out, 1)}), ContainsSubstring("cannot be the name of an output"));
  CHECK_THAT(error_with({output<float>("b", nullptr, 1)}),
             ContainsSubstring("output \"b\" has elements, but no data: its pointer is null. cudaMalloc"));
  CHECK(error_with({output<float>("b", nullptr, 0)}) == "[no error]");
  for (const double wrong : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
    Output tight = a;
    tight.absolute = wrong;
    CHECK_THAT(error_with({tight}), ContainsSubstring("a tolerance that is not a number from 0 on"));
  }
}

TEST_CASE("options: buffers have as many bytes as can be, and names in UTF-8") {
  float out = 0;
  const std::size_t too_many =
      std::numeric_limits<std::size_t>::max() / sizeof(float) + 2;  // 4 bytes, wrapped
  CHECK_THAT(error_of({.outputs = std::vector{output("pool", &out, too_many)}}),
             ContainsSubstring("output \"pool\" has " + std::to_string(too_many) + " elements, more than"));
  CHECK_THAT(error_of({.restore = std::vector{Restored{"pool", &out, std::size_t(-1)}}}),
             ContainsSubstring("buffer \"pool\" has 18446744073709551615 bytes, more than"));
  for (const char* name : {"caf\xe9", "cut\xe2\x82"}) {
    CHECK_THAT(error_of({.outputs = std::vector{output(name, &out, 1)}}), ContainsSubstring("UTF-8"));
    CHECK_THAT(error_of({.restore = std::vector{Restored{name, &out, 4}}}), ContainsSubstring("UTF-8"));
    CHECK_THAT(error_of({.parts = std::vector<RegionPart>{{name, [] {}}}}), ContainsSubstring("UTF-8"));
  }
}

TEST_CASE("options: what is restored has data") {
  CHECK(error_of({.restore = std::vector{Restored{"", nullptr, 0}}}) == "[no error]");
  CHECK_THAT(
      error_of({.restore = std::vector{Restored{"state", nullptr, 4}}}),
      ContainsSubstring("option `restore`: buffer \"state\" has bytes, but no data: its pointer is null"));
  CHECK_THAT(error_of({.restore = std::vector{Restored{"two\nlines", nullptr, 0}}}),
             ContainsSubstring("has more than one line"));
}

TEST_CASE("options: a deadline may be years, and is limited to what a clock can be asked for") {
  const std::chrono::hours years(24 * 365 * 10);
  CHECK(resolve({.deadline = years}, {}, {}).deadline == years);
  const auto longest = resolve({.deadline = std::chrono::milliseconds::max()}, {}, {}).deadline;
  CHECK(std::chrono::steady_clock::now() + longest > std::chrono::steady_clock::now() + years);
}

TEST_CASE(
    "options: a batch has one assignment where each iteration is verified, or starts while others go on") {
  const auto one_assignment = [](const Options& options) {
    return resolve(options, {}, {}).policy.one_assignment_per_batch;
  };
  CHECK(!one_assignment({}));
  CHECK(one_assignment({.iterations = Iterations::pipelined}));
  CHECK(one_assignment({.verify = [](const IterationInfo&) { return true; }}));
  int out = 0;
  CHECK(one_assignment({.outputs = std::vector{output("out", &out, 1)}}));
}

TEST_CASE("options: without any, a run is of one rank and has the default timer") {
  const ResolvedOptions none = resolve({}, {}, {});
  CHECK(none.communicator->size() == 1);
  CHECK(!none.communicator_given);
  CHECK(none.timer != nullptr);
}

TEST_CASE("options: a value that makes no sense is named with what it may be") {
  using std::chrono::milliseconds;
  CHECK(error_of({}) == "[no error]");
  CHECK_THAT(error_of({.n_warmup = 0}), ContainsSubstring("option n_warmup = 0: it must be at least 1"));
  CHECK(error_of({.deadline = milliseconds(0)}) == "option deadline (ms) = 0: it must be at least 1");
  CHECK(error_of({.grace = milliseconds(-1)}) == "option grace (ms) = -1: it must be at least 0");
  CHECK(error_of({.grace = milliseconds(0)}) == "[no error]");
}

}  // namespace contextual::option_table_test

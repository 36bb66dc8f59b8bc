#include "contextual/policy/options_check.hpp"

#include "support/catch.hpp"

#include <contextual/error.hpp>

namespace contextual::policy::options_check_test {

namespace {

bool is_valid(const PolicyOptions& options) {
  try {
    check_options(options);
    return true;
  } catch (const InvalidArgument&) {
    return false;
  }
}

}  // namespace

TEST_CASE("check_options: every count has its least and its largest value") {
  struct Row {
    std::string name;
    int PolicyOptions::*member;
    int least;
  };
  for (const Row& row :
       {Row{"n_warmup", &PolicyOptions::n_warmup, 1}, Row{"n_repeat", &PolicyOptions::n_repeat, 1},
        Row{"absent_batches", &PolicyOptions::absent_batches, 1},
        Row{"retake_limit", &PolicyOptions::retake_limit, 0},
        Row{"search_settings.closing_rounds", &PolicyOptions::closing_rounds, 0}}) {
    CAPTURE(row.name);
    PolicyOptions options;
    options.*row.member = row.least;
    CHECK(is_valid(options));
    options.*row.member = row.least - 1;
    CHECK_FALSE(is_valid(options));
    options.*row.member = largest_count;
    CHECK(is_valid(options));
    options.*row.member = largest_count + 1;
    CHECK_FALSE(is_valid(options));
    CHECK_THROWS_WITH(check_options(options),
                      ContainsSubstring("option " + row.name + " = 1000001: it must be at least " +
                                        std::to_string(row.least) + " and at most 1000000"));
  }
}

TEST_CASE("check_options: fractions are at least 0 and below 1, and budgets not negative") {
  for (const auto& [value, valid] : {std::pair{0.0, true}, {0.5, true}, {1.0, false}, {-0.1, false}}) {
    const PolicyOptions options{.tie_margin = value};
    CHECK(is_valid(options) == valid);
  }
  PolicyOptions options{.search_runs = -1};
  CHECK_THROWS_WITH(check_options(options), ContainsSubstring("search_settings.runs = -1"));
  options = {};
  options.search_time = std::chrono::milliseconds(-1);
  CHECK_THROWS_WITH(check_options(options), ContainsSubstring("search_settings.time (ms) = -1"));
  options = {};
  options.max_iterations = 0;
  CHECK_FALSE(is_valid(options));
  options.max_iterations = 1;
  CHECK(is_valid(options));
}

TEST_CASE("PolicyOptions: what is built in is what docs/concepts.md says") {
  const PolicyOptions options;
  CHECK(options.n_warmup == 3);
  CHECK(options.n_repeat == 5);
  CHECK(options.retake_limit == 8);
  CHECK(options.tie_margin == 0.005);
  CHECK(is_valid(options));
}

}  // namespace contextual::policy::options_check_test

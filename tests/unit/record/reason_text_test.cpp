// How the parts of a reason are joined, and what the tests of policy do not bring about.

#include "contextual/record/reason_text.hpp"

#include "support/catch.hpp"

namespace reason_text_test {

using contextual::policy::Reason;
using contextual::policy::Reference;
using contextual::policy::told;
using contextual::policy::Why;
using contextual::record::reason_text;

TEST_CASE("reason_text joins the parts of a reason", "[unit]") {
  const Reason walk({.why = Why::fastest, .gain = {0.0725}});
  const Reason search = Why::by_search + told("it is short");
  const Reason cut = Why::cut + Reason({.why = Why::run_budget, .count = 34});
  CHECK(reason_text({}).empty());
  CHECK(reason_text(search + cut + Why::by_walk + walk + Why::provisional + Why::no_samples) ==
        "search: it is short (cut: its budget of 34 runs is spent); walk: fastest by own time, 7.2 % shorter "
        "than "
        "the default; provisional: the walk ended without a sample");
  CHECK(reason_text(search + Reason({.why = Why::by_walk, .config_id = 3}) + Why::only_measured) ==
        "search: it is short; walk: config-3, the only config with times");
  CHECK(reason_text(Why::compared_beside + Reason({.why = Why::before, .config_id = 0}) + Why::own_times) ==
        "others were compared beside it; before: config-0, own times decide");
}

TEST_CASE("reason_text names the reference and the sign of a gain", "[unit]") {
  const auto with = [](Why why, double centre, Reference reference) {
    return reason_text(
        Reason({.why = why, .gain = {centre, centre - 0.01, centre + 0.01}, .reference = reference}));
  };
  CHECK(with(Why::gained, 0.125, Reference::defaults) == ", 12.5 % shorter than the defaults");
  CHECK(with(Why::gained, 0, Reference::defaults) == ", 0.0 % shorter than the defaults");
  CHECK(with(Why::gained, -0.125, Reference::alternative_defaults) ==
        ", 12.5 % longer than the defaults of this alternative");
  CHECK(with(Why::tie_with_reference, 0, Reference::default_alternative) ==
        "the best candidate ties with the default alternative at its best: that wins");
  CHECK(with(Why::longer_than_reference, -0.03, Reference::default_alternative) ==
        "compared in turn, the best candidate is 3.0 % longer than the default alternative at its best: that "
        "wins");
  CHECK(with(Why::noise, 0.005, Reference::alternative_defaults) ==
        "the noise is too large to show that the best candidate is shorter than the defaults of this "
        "alternative "
        "(by -0.5 % to 1.5 %): they win");
}

TEST_CASE("reason_text fills in every figure", "[unit]") {
  for (int why = 1; why <= static_cast<int>(Why::first_ruled_out); ++why) {
    const std::string text = reason_text(Reason({.why = static_cast<Why>(why), .config_id = 1}));
    CHECK((!text.empty() && text.find_first_of("{}") == std::string::npos));
  }
}

TEST_CASE("reason_text of an alternative that was not asked for beside all others", "[unit]") {
  CHECK(reason_text(Reason({.why = Why::ruled_out_so_far, .count = 10'000})) ==
        "ruled out by `feasible`, as far as 10000 combinations with other alternatives show");
}

}  // namespace reason_text_test

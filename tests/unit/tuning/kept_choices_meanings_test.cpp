/// \file
/// Kept choices of a kernel whose configs are ranks in a list, which another process may see in another
/// order.

#include "support/stderr_capture.hpp"
#include "unit/tuning/kept_process.hpp"

#include <contextual/detail/tuning/config_meanings.hpp>

namespace contextual::test::kept_test::kept_choices_meanings_test {

namespace {

thread_local int this_rank = 0;

/// Of a kernel of four configs on two ranks, with the list that each of them sees.
Process process_with(const TemporaryDirectory& directory, const std::string& kernel,
                     std::vector<std::vector<std::string>> lists, std::size_t fastest = 2) {
  detail::set_config_meanings(kernel,
                              [lists](const Key&) { return lists.at(static_cast<std::size_t>(this_rank)); });
  Process process{.ranks = static_cast<int>(lists.size()),
                  .directory = directory.path(),
                  .machine =
                      [](int rank) {
                        this_rank = rank;
                        return "as ever";
                      },
                  .configs = 4,
                  .kernel = kernel,
                  .region = kernel,
                  .fastest = fastest};
  return process;
}

}  // namespace

TEST_CASE("kept choices: a config that is a rank in a list is found again by what it is") {
  const TemporaryDirectory directory;
  CHECK(run(process_with(directory, "listed", {{"a", "b", "c"}})).tuned(2));
  const Seen other_order = run(process_with(directory, "listed", {{"a", "c", "b"}}));
  CHECK(other_order.used(1));
  REQUIRE(other_order.reports.at(0).problems.size() == 1);
  CHECK(other_order.reports[0].problems[0].choice == 1);
  CHECK(other_order.reports[0].problems[0].choice_config.get<int>("TILE") == 2);
  CHECK(run(process_with(directory, "listed", {{"x", "a", "b", "c"}})).used(3));
  CHECK(run(process_with(directory, "listed", {{"c"}})).used(0));
}

TEST_CASE("kept choices: one that is not found again is not used, and that is said") {
  const TemporaryDirectory directory;
  CHECK(run(process_with(directory, "gone", {{"a", "b", "c"}})).tuned(2));
  const StderrCapture said;
  CHECK(run(process_with(directory, "gone", {{"a", "b", "d"}}, 1)).tuned(1));
  CHECK_THAT(said.text(), ContainsAll("are not used: kernel \"gone\" ", " has no config any more that is c"));
  CHECK(run(process_with(directory, "gone", {{"b", "a", "d"}})).used(0));
}

TEST_CASE("kept choices: ranks with other lists use the same config under their own numbers") {
  const TemporaryDirectory directory;
  CHECK(run(process_with(directory, "of_two", {{"a", "b", "c"}, {"a", "b", "c"}})).tuned(2));
  const Seen seen = run(process_with(directory, "of_two", {{"c", "b", "a"}, {"b", "c", "a"}}));
  CHECK(seen.runs == std::vector<int>{1, 1});
  CHECK(seen.configs == std::vector<std::size_t>{0, 1});
  const StderrCapture said;
  CHECK(run(process_with(directory, "of_two", {{"c", "b", "a"}, {"b", "a"}}, 1)).tuned(1));
  CHECK_THAT(said.text(), ContainsSubstring("has no config any more that is c"));
}

}  // namespace contextual::test::kept_test::kept_choices_meanings_test

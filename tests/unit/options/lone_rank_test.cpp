#include "contextual/options/resolved_options.hpp"
#include "support/child_process.hpp"
#include "support/engine.hpp"

namespace contextual::test::lone_rank_test {

using detail::LaunchedRank;
using options::lone_rank_warning;

namespace {

options::ResolvedOptions resolved(const Options& options) {
  return options::resolve(options, {}, {});
}

const LaunchedRank third_of_four{2, 4, "PMI_SIZE"};

}  // namespace

TEST_CASE("lone rank: one of several without a communicator is told which option there is") {
  const auto text = lone_rank_warning(resolved({}), third_of_four);
  REQUIRE(text);
  CHECK_THAT(*text, ContainsSubstring("4 ranks (PMI_SIZE)"));
  CHECK_THAT(*text, ContainsSubstring("`communicator`"));
  CHECK_THAT(*text, ContainsSubstring("contextual::mpi_world()"));
}

TEST_CASE("lone rank: nothing is said to a program of one, nor where a communicator was given") {
  CHECK_FALSE(lone_rank_warning(resolved({}), std::nullopt));
  CHECK_FALSE(lone_rank_warning(resolved({.communicator = one_rank()}), third_of_four));
}

TEST_CASE("lone rank: it warns once and has a log of its own") {
  const TemporaryDirectory directory;
  for (const std::string rank : {"0", "1"}) {
    CHECK(run_child("lone rank", {{"OMPI_COMM_WORLD_SIZE", "2"},
                                  {"OMPI_COMM_WORLD_RANK", rank},
                                  {"CONTEXTUAL_LOG_DIR", directory.path().string()}}) == 0);
    const std::string log = text_of_file(directory.path() / ("rank-" + rank + ".jsonl"));
    CHECK_THAT(log, ContainsSubstring("started as 2 ranks (OMPI_COMM_WORLD_SIZE)"));
    CHECK(log.find("started as 2 ranks") == log.rfind("started as 2 ranks"));
  }
}

TEST_CASE("child process: lone rank", "[.child]") {
  ONLY_IF(is_child());
  TunableKernel kernel{"lone", blocks(2), single_problem, [](const Block&) {}};
  ContextualAutotuner tuner{quick()};
  tuner.run("first", [&] { kernel(); });
  tuner.run("second", [&] { kernel(); });
  const Report report = tuner.report();
  REQUIRE(report.find("first")->warnings.size() == 1);
  CHECK_THAT(report.find("first")->warnings.front(), ContainsSubstring("mpi_world"));
  CHECK(report.find("second")->warnings.empty());
}

}  // namespace contextual::test::lone_rank_test

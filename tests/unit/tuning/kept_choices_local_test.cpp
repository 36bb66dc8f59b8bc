/// \file
/// Choices of `local` kernels that outlive the process: each rank has its own.

#include "contextual/storage/choice_store.hpp"
#include "support/engine.hpp"
#include "unit/tuning/kept_process.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace kept_choices_local_test {

using namespace kept_test;
using engine_test::TemporaryDirectory;

namespace {

/// On rank r config r of the kernel is the fastest; the kernel for all ranks comes beside it.
struct LocalProcess {
  fs::path directory;
  std::string name;
  std::vector<int> launching{0, 1, 2};  ///< the ranks that have such a kernel
  bool beside_a_shared_one = true;
  std::string version_of_1{};
};

struct LocalSeen {
  std::vector<int> runs = std::vector<int>(3, 0);
  std::vector<int> configs = std::vector<int>(3, -1);
  std::vector<RegionReport> reports = std::vector<RegionReport>(3);

  bool used() const { return runs == std::vector<int>(3, 1); }
  bool tuned() const {
    return std::all_of(runs.begin(), runs.end(), [&](int count) { return count > 4 && count == runs[0]; });
  }
};

LocalSeen run(const LocalProcess& process) {
  detail::describe_machine("test", [] { return std::string("alike"); });
  LocalSeen seen;
  const RankKernels own = kernel_per_rank(3, [&](int rank) {
    RankKernel::Options options{.participation = Participation::local};
    options.version = rank == 1 ? process.version_of_1 : "";
    return rank_kernel(process.name, 4, options, [&seen, rank](const TileConfig& config, int&) {
      seen.configs[static_cast<std::size_t>(rank)] = config.tile - 1;
    });
  });
  const RankKernels shared =
      kernel_per_rank(3, [&](int) { return rank_kernel(process.name + "_shared", 3); });
  const auto thrown =
      on_ranks(3, [&](int rank, ContextualAutotuner& tuner, const std::shared_ptr<Communicator>&) {
        const auto at = static_cast<std::size_t>(rank);
        Options options;
        options.cache_directory = rank == 0 ? process.directory : fs::path();
        options.timer = testing::scripted_timer([rank](const LaunchInfo& launch) {
          return launch.config_id == static_cast<std::size_t>(rank) ? std::int64_t{1000} : 5000;
        });
        const bool launches = std::count(process.launching.begin(), process.launching.end(), rank) > 0;
        tuner.run(
            process.name,
            [&] {
              ++seen.runs[at];
              if (launches) {
                (*own[at])(1);
              }
              if (process.beside_a_shared_one) {
                (*shared[at])(1);
              }
            },
            options);
        seen.reports[at] = *tuner.report().runs.rbegin();
      });
  for (const std::exception_ptr& error : thrown) {
    INFO(text_of(error));
    CHECK_FALSE(error);
  }
  return seen;
}

}  // namespace

TEST_CASE("kept choices: each rank begins with its own of a local kernel", "[unit]") {
  for (const bool beside : {true, false}) {
    const TemporaryDirectory directory;
    const LocalProcess process{
        .directory = directory.path(), .name = "kept_local", .beside_a_shared_one = beside};
    const LocalSeen first = run(process);
    CHECK(first.tuned());
    CHECK(first.configs == std::vector<int>{0, 1, 2});
    const LocalSeen again = run(process);
    CHECK(again.used());
    CHECK(again.configs == std::vector<int>{0, 1, 2});
    for (std::size_t rank = 0; rank < 3; ++rank) {
      const ProblemReport* report = problem_of(again.reports[rank], "kept_local");
      REQUIRE(report != nullptr);
      CHECK(report->reused);
      CHECK(report->choice == rank);
      CHECK(again.reports[rank].problems.size() == (beside ? 2 : 1));
    }
    const auto kept = storage::ChoiceStore(directory.path(), "kept_local").load();
    REQUIRE(kept.entries.size() == 1);
    CHECK(kept.entries[0].choices.size() == (beside ? 4 : 3));
  }
}

TEST_CASE("kept choices: a local kernel that only one rank has is installed there, and all run once",
          "[unit]") {
  for (const int rank : {0, 2}) {
    const TemporaryDirectory directory;
    const LocalProcess process{.directory = directory.path(),
                               .name = "kept_alone_on" + std::to_string(rank),
                               .launching = {rank},
                               .beside_a_shared_one = false};
    CHECK(run(process).tuned());
    const LocalSeen again = run(process);
    CHECK(again.used());
    for (int other = 0; other < 3; ++other) {
      const auto at = static_cast<std::size_t>(other);
      CHECK(again.configs[at] == (other == rank ? rank : -1));
      CHECK(again.reports[at].problems.size() == (other == rank ? 1 : 0));
    }
  }
}

TEST_CASE("kept choices: a local kernel that one rank has changed makes all tune", "[unit]") {
  const TemporaryDirectory directory;
  LocalProcess process{.directory = directory.path(), .name = "kept_local_changed"};
  CHECK(run(process).tuned());
  process.version_of_1 = "2";
  CHECK(run(process).tuned());
  process.version_of_1.clear();
  CHECK(run(process).used());
}

TEST_CASE("kept choices: what one rank alone has tuned anew is kept with the rest", "[unit]") {
  const TemporaryDirectory directory;
  LocalProcess process{.directory = directory.path(), .name = "kept_local_more", .launching = {0, 1}};
  CHECK(run(process).tuned());
  process.launching = {0, 1, 2};
  CHECK(run(process).configs == std::vector<int>{0, 1, 2});
  const LocalSeen again = run(process);
  CHECK(again.used());
  CHECK(again.configs == std::vector<int>{0, 1, 2});
}

}  // namespace kept_choices_local_test

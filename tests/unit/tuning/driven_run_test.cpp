#include "contextual/agreement/hello.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/tuning/rank_groups.hpp"
#include "contextual/tuning/tuning_setup.hpp"
#include "support/engine.hpp"
#include "support/ranks.hpp"

#include <contextual/launch_registry.hpp>

#include <functional>
#include <optional>
#include <regex>
#include <stdexcept>

namespace driven_run_test {

using namespace contextual;

namespace {

/// What a rank's run left: its report, its log, and how it ended.
struct Left {
  std::string choices;
  std::string table;
  std::string log;
  std::string error;
};

/// Without what differs from run to run: ids and times of day.
std::string comparable(const std::string& log) {
  static const std::regex ids(
      R"re("(run_id|tuning_id|time_iso8601|elapsed_ns|walk_ns|estimated_left_ns|process_rank)":("[^"]*"|\d+))re");
  return std::regex_replace(log, ids, R"("$1":0)");
}

using Drive = std::function<void(const options::ResolvedOptions&, const std::function<void()>&, Left&)>;

/// `run`, as a user calls it.
void by_run(const options::ResolvedOptions& resolved, const std::function<void()>& region, Left& left) {
  Options options;
  options.n_warmup = resolved.policy.n_warmup;
  options.n_repeat = resolved.policy.n_repeat;
  options.search = resolved.policy.search;
  options.log_directory = resolved.log_directory;
  options.communicator = resolved.communicator;
  options.timer = resolved.timer;
  ContextualAutotuner tuner(options);
  try {
    tuner.run("driven", region);
  } catch (const std::exception& error) {
    left.error = error.what();
  }
  const Report report = tuner.report();
  left.choices = test::agreed_text(report.runs.back());
  left.table = report.runs.back().table_text();
}

/// The loop as an object: this function runs the region itself.
void by_hand(const options::ResolvedOptions& resolved, const std::function<void()>& region, Left& left) {
  tuning::RankGroups groups;
  const std::uint32_t region_id =
      LaunchRegistry::instance().region_id(resolved.communicator->process_scope(), "driven");
  tuning::Watchdog watchdog;
  tuning::TuningSetup setup("driven", region_id, resolved, {}, groups.exchange_for(resolved), watchdog);
  setup.meet();
  const auto run = setup.take_run();
  std::exception_ptr ended;
  try {
    while (!run->finished()) {
      run->begin_iteration();
      std::exception_ptr thrown;
      try {
        region();
      } catch (...) {
        thrown = std::current_exception();
      }
      run->end_iteration(thrown);
    }
  } catch (const std::exception& error) {
    left.error = error.what();
    ended = std::current_exception();
  }
  setup.recorder().end(ended, run->ending());
  left.choices = test::agreed_text(setup.recorder().report());
  left.table = setup.recorder().report().table_text();
}

/// Tunes two kernels of two and three configs on `ranks` ranks; rank 0 throws in its run number `throws_in`.
std::vector<Left> tune(int ranks, const Drive& drive, std::optional<int> throws_in) {
  const auto two = test::kernel_per_rank(ranks, [](int) { return test::rank_kernel("driven_two", 2); });
  const auto three = test::kernel_per_rank(ranks, [](int) { return test::rank_kernel("driven_three", 3); });
  const engine_test::TemporaryDirectory directory;
  std::vector<Left> left(static_cast<std::size_t>(ranks));
  testing::ScriptedWorld world(ranks);
  world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    Options options = test::rank_options(communicator);
    options.log_directory = directory.path();
    int runs = 0;
    const auto region = [&] {
      if (rank == 0 && runs++ == throws_in) {
        throw std::runtime_error("planted");
      }
      (*two[static_cast<std::size_t>(rank)])(1);
      (*three[static_cast<std::size_t>(rank)])(1);
    };
    drive(options::resolve({}, options, {}), region, left[static_cast<std::size_t>(rank)]);
  });
  for (int rank = 0; rank < ranks; ++rank) {
    left[static_cast<std::size_t>(rank)].log =
        comparable(engine_test::text_of_file(directory.path() / ("rank-" + std::to_string(rank) + ".jsonl")));
  }
  return left;
}

void check_alike(int ranks, std::optional<int> throws_in) {
  const std::vector<Left> run = tune(ranks, by_run, throws_in);
  const std::vector<Left> hand = tune(ranks, by_hand, throws_in);
  for (std::size_t rank = 0; rank < run.size(); ++rank) {
    INFO("rank " << rank << " of " << ranks);
    CHECK(run[rank].error == hand[rank].error);
    CHECK(run[rank].error.empty() == !throws_in);
    CHECK(run[rank].choices == hand[rank].choices);
    CHECK(run[rank].table == hand[rank].table);
    CHECK(run[rank].log == hand[rank].log);
    CHECK(run[rank].log.size() > 1000);
  }
}

}  // namespace

TEST_CASE("a tuning that is driven one run at a time chooses and logs as run does", "[unit]") {
  check_alike(1, std::nullopt);
  check_alike(3, std::nullopt);
}

TEST_CASE("a driven tuning whose region throws in the middle ends as run does", "[unit]") {
  check_alike(1, 4);
  check_alike(3, 4);
}

}  // namespace driven_run_test

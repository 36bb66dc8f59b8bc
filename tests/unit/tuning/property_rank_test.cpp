#include "support/repetitions.hpp"
#include "unit/tuning/property_rank_region.hpp"

#include <sstream>

namespace contextual::test::property_rank_test {

namespace {

struct Outcome {
  std::vector<RankNotes> notes;
  std::vector<RegionReport> reports;
  std::vector<std::exception_ptr> thrown;
};

Outcome tune(RandomRegion& region) {
  Outcome outcome;
  outcome.notes.resize(static_cast<std::size_t>(region.ranks));
  outcome.reports.resize(outcome.notes.size());
  testing::ScriptedWorld world(region.ranks);
  outcome.thrown = world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    RankNotes& own = outcome.notes[static_cast<std::size_t>(rank)];
    own.rank = rank;
    notes = &own;  // for `load`
    Options options = region.options;
    options.log_directory = "";
    options.communicator = communicator;
    options.timer = region.timer(rank);
    if (region.judged_by(Judge::verify)) {
      options.verify = [&](const IterationInfo&) { return region.verify(own); };
    }
    if (region.judged_by(Judge::feasible)) {
      options.feasible = [&](std::span<const AssignedConfig> configs) { return region.feasible(configs); };
    }
    ContextualAutotuner tuner(options);
    if (region.locked_before) {
      const RandomLaunch& first = region.launches.front();
      ContextualAutotuner(options).run(
          region.name,
          [&] {
            if (!first.absent_ranks.contains(rank) && region.kernels[first.kernel].coupling.empty()) {
              (*region.kernels[first.kernel].object)(first.key);
            }
          },
          {.search = SearchLevel::off});
      own = {};
      own.rank = rank;
    }
    const auto report = [&] { outcome.reports[static_cast<std::size_t>(rank)] = tuner.report().runs.back(); };
    try {
      tuner.run(region.name, [&] { region.run(own); });
    } catch (...) {
      report();
      throw;
    }
    report();
  });
  return outcome;
}

/// What all ranks must agree on, byte for byte.
std::string agreed(const RandomRegion& region, const RegionReport& report) {
  std::ostringstream text;
  for (const ProblemReport& problem : report.problems) {
    const bool in_final_run_only = problem.outcome == ProblemOutcome::open;
    if (!in_final_run_only) {
      text << problem.kernel << problem.key << " " << problem.choice << " "
           << static_cast<int>(problem.outcome) << " " << problem.reason << "\n";
    }
  }
  std::string sorted = text.str();
  if (region.ranks > 1) {  // ranks may discover problems in another order
    std::vector<std::string> lines;
    std::istringstream in(sorted);
    for (std::string line; std::getline(in, line);) {
      lines.push_back(line);
    }
    std::sort(lines.begin(), lines.end());
    sorted.clear();
    for (const std::string& line : lines) {
      sorted += line + "\n";
    }
  }
  for (const SearchReport& search : report.searches) {
    sorted += "search: " + search.reason + " " + std::to_string(search.runs) + "\n";
  }
  return sorted + std::to_string(report.walk_iterations) + " " + std::to_string(report.search_iterations) +
         " " + std::to_string(report.retakes);
}

/// The documented formula, and what may come on top of it.
std::int64_t most_iterations(const RandomRegion& region, const RegionReport& report, int runs) {
  // A race uses a config three times for two samples.
  const int whole_config =
      std::max(*region.options.n_warmup + *region.options.n_repeat, 3 * ((*region.options.n_repeat + 1) / 2));
  std::int64_t most = 1;
  for (const RandomLaunch& launch : region.launches) {
    std::int64_t absences = 0;
    for (int run = launch.first_run; run < runs; ++run) {
      bool launched = false;
      for (int rank = 0; rank < region.ranks && !launched; ++rank) {
        launched = region.launches_now(launch, rank, run);
      }
      absences += launched ? 0 : 1;
    }
    // A problem that appears within a batch uses the default until it ends.
    most = std::max(most, launch.first_run + absences + whole_config +
                              std::int64_t{region.kernels[launch.kernel].configs} * whole_config);
  }
  return most + report.retakes + report.search_iterations;
}

void check_final_run(const RandomRegion& region, const RankNotes& own, const RegionReport& report) {
  REQUIRE_FALSE(report.table.empty());
  CHECK(report.table.back().phase == Phase::final_run);
  const auto final_runs = std::count_if(report.table.begin(), report.table.end(),
                                        [](const TableRow& row) { return row.phase == Phase::final_run; });
  const bool may_repeat = std::any_of(region.kernels.begin(), region.kernels.end(),
                                      [](const RandomKernel& kernel) { return !kernel.too_large.empty(); });
  CHECK((final_runs == 1 || (may_repeat && final_runs <= 4)));
  CHECK(report.table.size() == static_cast<std::size_t>(own.runs));
  for (const RandomLaunch& launch : region.launches) {
    const RandomKernel& kernel = region.kernels[launch.kernel];
    const std::string name = kernel.coupling.empty() ? kernel.name : kernel.coupling;
    const std::string key = "(" + std::to_string(launch.key) + ")";
    for (const ProblemReport& problem : report.problems) {
      if (problem.kernel != name || problem.key != key || launch.first_run >= own.runs - 1) {
        continue;
      }
      INFO("kernel " << name << " " << key);
      CHECK((problem.outcome == ProblemOutcome::locked_in || problem.outcome == ProblemOutcome::provisional));
      const auto choice = static_cast<int>(problem.choice);
      if (problem.outcome == ProblemOutcome::locked_in && !problem.reused &&
          kernel.participation == Participation::all) {
        for (int rank = 0; rank < region.ranks; ++rank) {  // what fails anywhere is chosen nowhere
          CHECK_FALSE(kernel.fails_to_launch.contains({rank, choice}));
          CHECK_FALSE(kernel.fails_to_prepare.contains({rank, choice}));
          CHECK_FALSE(kernel.left_out.contains({rank, choice}));
        }
      }
      const auto last = own.last_config.find({launch.kernel, launch.key});
      if (last != own.last_config.end() && !kernel.fails_to_launch.contains({own.rank, choice}) &&
          kernel.allows(own.rank, choice, own.runs)) {
        CHECK(last->second == choice);
      }
    }
  }
}

/// What fails together is not chosen, where the search had a say and all problems were there from the start.
void check_pairs(const RandomRegion& region, const RankNotes& own, const RegionReport& report) {
  const bool lasting =
      std::all_of(report.problems.begin(), report.problems.end(),
                  [](const ProblemReport& problem) { return problem.outcome == ProblemOutcome::locked_in; });
  if (region.options.search == SearchLevel::off || !lasting || report.retakes > 0 ||
      !region.always_launches_all()) {
    return;
  }
  for (const RandomPair& pair : region.pairs) {
    INFO("pair judged by " << static_cast<int>(pair.judge));
    CHECK_FALSE(region.fails_now(pair, own));
  }
}

/// Every search keeps to its budget: what the walk leaves over, but at least a quarter, and the closing
/// comparison, which begins anew when its choice or its reference turns out to be infeasible.
void check_budget(const RandomRegion& region, const RegionReport& report) {
  const SearchSettings& settings = region.options.search_settings;
  const std::int64_t round = 4 * std::int64_t{*settings.closing_rounds};
  for (const SearchReport& search : report.searches) {
    const auto failed = static_cast<std::int64_t>(search.failed);
    CHECK(search.runs <= *settings.runs + (1 + failed) * (2 * round + 2));
  }
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// False: the run ended with every config of a problem rejected.
bool check(RandomRegion& region) {
  const Outcome outcome = tune(region);
  const bool failed = outcome.thrown[0] != nullptr;
  for (std::size_t rank = 0; rank < outcome.notes.size(); ++rank) {
    INFO("rank " << rank << ": " << text_of(outcome.thrown[rank]));
    const RankNotes& own = outcome.notes[rank];
    const RegionReport& report = outcome.reports[rank];
    CHECK(own.unprepared_launches == 0);
    CHECK(own.refused_launches == 0);
    CHECK(own.ruled_out_runs == 0);
    CHECK(own.runs == outcome.notes[0].runs);
    if (failed) {
      CHECK(threw<TuningFailedError>(outcome.thrown[rank]));
      // What follows the first line names configs, which a rank without the kernel does not know.
      CHECK(first_line(text_of(outcome.thrown[rank])) == first_line(text_of(outcome.thrown[0])));
      continue;
    }
    REQUIRE_FALSE(outcome.thrown[rank]);
    CHECK(own.launched == own.calls);  // nothing skipped, nothing launched twice
    CHECK_FALSE(report.hit_iteration_cap);
    CHECK(agreed(region, report) == agreed(region, outcome.reports[0]));
    CHECK(own.runs - 1 <= most_iterations(region, report, own.runs));
    check_final_run(region, own, report);
    check_pairs(region, own, report);
    check_budget(region, report);
  }
  return !failed;
}

void check_seeds(unsigned first, int all, int ranks) {
  const auto count = static_cast<unsigned>(repetitions_of_threads(all));
  unsigned tuned = 0;
  for (unsigned seed = first; seed < first + count; ++seed) {
    INFO("seed " << seed << ", " << ranks << " ranks");
    RandomRegion region(seed, ranks);
    tuned += check(region) ? 1 : 0;
  }
  CHECK(tuned * 10 >= count * 8);  // most of them are to reach the end
}

}  // namespace

TEST_CASE("any region on few ranks is tuned alike on all and skips nothing and ends") {
  for (int ranks = 1; ranks <= 8; ++ranks) {
    check_seeds(1000 * static_cast<unsigned>(ranks), 80, ranks);
  }
}

TEST_CASE("any region on many ranks is tuned alike on all and skips nothing and ends") {
  const auto [ranks, count] = GENERATE(std::pair(16, 20), std::pair(32, 10), std::pair(64, 6));
  check_seeds(1000 * static_cast<unsigned>(ranks), count, ranks);
}

}  // namespace contextual::test::property_rank_test

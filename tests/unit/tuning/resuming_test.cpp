/// \file
/// Tunings that are cut off by the death of the process, and gone on with by another one. A child process
/// with simulated ranks stands for a job.

#include "contextual/journal/history.hpp"
#include "contextual/journal/journal_file.hpp"
#include "support/engine.hpp"
#include "support/ranks.hpp"
#include "support/repetitions.hpp"
#include "support/scripted_files.hpp"

#include <contextual/testing/forwarding_timer.hpp>

#include <sys/wait.h>

#include <csignal>
#include <random>
#include <span>

namespace contextual::test::resuming_test {

namespace fs = std::filesystem;

namespace {

/// What a job does, and when it dies.
struct Job {
  fs::path directory{};
  int ranks = 2;
  std::int64_t dies_at = 0;                 ///< at this point of its course; 0: never
  std::chrono::microseconds dies_after{0};  ///< 0: never
  std::int64_t late_from = 20;              ///< from this tuning iteration on the third kernel is launched
  int configs = 4;                          ///< of the first kernel
  std::int64_t interaction_ns = 900;  ///< by which the configs of the kernels lengthen each other's runs
  /// What else the region does; gets the rank and the tiles of the first two kernels.
  std::function<void(int, int, int)> region = [](int, int, int) {};
  /// Called in launches of the first kernel with its tile.
  std::function<void(int, int)> launch = [](int, int) {};
  std::function<void(int, Options&)> change = [](int, Options&) {};  ///< of a rank
};

thread_local int last_tile = 0;
std::atomic<std::int64_t> points{0};
std::int64_t dies_at = 0;

/// A point at which the process may die.
void point() {
  if (++points == dies_at) {
    ::kill(::getpid(), SIGKILL);
  }
}

void append(const fs::path& file, const std::string& text) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  static_cast<void>(::write(descriptor, text.data(), text.size()) < 0);
  ::close(descriptor);
}

/// The walk does not find the best where configs lengthen each other's runs.
std::int64_t makespan(const std::vector<testing::ScriptedLaunch>& launches, std::int64_t interaction_ns) {
  std::int64_t sum = 20'000;
  std::int64_t product = 1;
  for (const testing::ScriptedLaunch& launch : launches) {
    const auto id = static_cast<std::int64_t>(launch.config_id);
    sum -= 700 * id;
    product *= 1 + id;
  }
  return sum + interaction_ns * (product % 5);
}

std::string choices_of(const RegionReport& report) {
  std::string text;
  for (const ProblemReport& problem : report.problems) {
    text += problem.kernel + " " + problem.key + ": " + std::to_string(problem.choice) + "\n";
  }
  return text;
}

const std::string goes_on = "this run goes on with ";  // so many tuning iterations

/// Tunes a region of three kernels, of which one comes late; then writes what was chosen.
void tune(const Job& job) {
  const auto kernels = [&](const std::string& name, int configs) {
    return kernel_per_rank(job.ranks, [&](int rank) {
      return rank_kernel(name, configs, {}, [&job, name, rank](const TileConfig& config, int&) {
        point();
        if (name == "first") {
          job.launch(rank, config.tile);
        }
        last_tile = config.tile;
      });
    });
  };
  const RankKernels first = kernels("first", job.configs);
  const RankKernels second = kernels("second", 3);
  const RankKernels late = kernels("late", 2);
  PerRank<int> tiles(static_cast<std::size_t>(job.ranks));  // of the last launches
  const auto thrown = on_ranks(job.ranks, [&](int rank, ContextualAutotuner& tuner) {
    Options options{.search = SearchLevel::normal,
                    .cache_directory = job.directory / "cache",
                    .timer = testing::scripted_timer(later_is_faster,
                                                     [&](std::int64_t, const auto& launches) {
                                                       point();
                                                       return makespan(launches, job.interaction_ns);
                                                     }),
                    .progress = [](const Progress&) { point(); },
                    .after_iteration = [](const IterationInfo&) { point(); }};
    std::int64_t iteration = 0;
    options.before_iteration = [&](const IterationInfo& info) { iteration = info.tuning_iteration; };
    job.change(rank, options);
    tuner.run(
        "resumed region",
        [&] {
          point();
          if (rank == 0) {
            append(job.directory / "runs", ".");
          }
          first(rank, 1);
          const int first_tile = last_tile;
          tiles[rank] = first_tile;
          second(rank, 1);
          const int second_tile = last_tile;
          if (iteration >= job.late_from) {
            late(rank, 1);
          }
          job.region(rank, first_tile, second_tile);
        },
        options);
    if (rank == 0) {
      const RegionReport report = *tuner.report().runs.rbegin();
      std::ofstream(job.directory / "choices") << choices_of(report);
      std::ofstream warnings(job.directory / "warnings");
      std::ofstream(job.directory / "resumed") << 0;
      for (const std::string& warning : report.warnings) {
        warnings << warning << "\n";
        if (warning.starts_with(goes_on)) {
          std::ofstream(job.directory / "resumed") << std::stoll(warning.substr(goes_on.size()));
        }
      }
    }
  });
  std::ofstream(job.directory / "tiles") << tiles.front() << ' ' << tiles.back();
  if (thrown[0]) {
    std::ofstream(job.directory / "error") << text_of(thrown[0]);
    std::ofstream(job.directory / "error of the last rank") << text_of(thrown.back());
    ::_exit(1);
  }
  std::ofstream(job.directory / "points") << points.load();
}

/// Returns the signal that ended the job, or 0; negative for its exit code.
int run(const Job& job) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    dies_at = job.dies_at;
    if (job.dies_after.count() > 0) {
      std::thread([after = job.dies_after] {
        std::this_thread::sleep_for(after);
        ::kill(::getpid(), SIGKILL);
      }).detach();
    }
    tune(job);
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

std::size_t runs_in(const fs::path& directory) {
  return text_of_file(directory / "runs").size();
}

std::size_t files_in(const fs::path& directory, const std::string& ending) {
  std::size_t count = 0;
  if (fs::exists(directory)) {
    for (const auto& entry : fs::recursive_directory_iterator(directory)) {
      count += entry.is_regular_file() && entry.path().string().ends_with(ending) ? 1 : 0;
    }
  }
  return count;
}

/// Files that a job leaves for the test, and what is in them.
std::string left(const fs::path& directory, const char* name) {
  return text_of_file(directory / name);
}

using InRegion = std::function<void(int, int, int)>;

const InRegion nothing = [](int, int, int) {};
const InRegion kills = [](int, int, int) { ::kill(::getpid(), SIGKILL); };

/// Kills `rank` where the first two kernels have these tiles.
InRegion kills_at(int rank, int first, int second) {
  return [=](int here, int first_tile, int second_tile) {
    if (here == rank && first_tile == first && second_tile == second) {
      ::kill(::getpid(), SIGKILL);
    }
  };
}

/// Dies in that run of the region, and does `else_do` in those before.
InRegion dies_in_run(int number, const InRegion& else_do = nothing) {
  return [=, runs = 0](int rank, int first_tile, int second_tile) mutable {
    else_do(rank, first_tile, second_tile);
    if (rank == 0 && ++runs == number) {
      ::kill(::getpid(), SIGKILL);
    }
  };
}

Job cut_off(const fs::path& directory) {
  Job job{.directory = directory};
  job.region = dies_in_run(30);
  return job;
}

/// Without the kernel that comes late.
Job of_two_kernels(const fs::path& directory, const InRegion& region = nothing) {
  Job job{.directory = directory, .late_from = 1'000'000};
  job.region = region;
  return job;
}

void check_dies_twice(const Job& job) {
  CHECK(run(job) == SIGKILL);
  CHECK(run(job) == SIGKILL);
}

fs::path only_journal(const fs::path& directory) {
  for (const auto& entry : fs::recursive_directory_iterator(directory / "cache" / "journal")) {
    if (entry.path().extension() == ".journal") {
      return entry.path();
    }
  }
  FAIL("no journal");
  return {};
}

/// What the job's journal says of deaths.
journal::Quarantine deaths_in(const fs::path& directory) {
  journal::History history;
  for (const std::string& line : journal::read_lines(text_of_file(only_journal(directory)))) {
    history.take_in(line);
  }
  history.quarantine.crash();
  return history.quarantine;
}

}  // namespace

TEST_CASE("resuming: a tuning that is killed once anywhere comes to the choices of an undisturbed one") {
  const TemporaryDirectory undisturbed;
  REQUIRE(run({.directory = undisturbed.path()}) == 0);
  const std::string choices = text_of_file(undisturbed.path() / "choices");
  const std::size_t runs = runs_in(undisturbed.path());
  const std::int64_t last_point = std::stoll(text_of_file(undisturbed.path() / "points"));
  REQUIRE(runs > 100);
  CHECK(files_in(undisturbed.path() / "cache" / "journal", ".journal") ==
        0);  // nothing is left to go on with
  CHECK(files_in(undisturbed.path() / "cache" / "choices", ".json") == 1);
  std::mt19937 random(7);
  const int kills = repetitions(200);
  int resumed = 0;
  for (int i = 0; i < kills; ++i) {
    const TemporaryDirectory directory;
    const auto at = std::uniform_int_distribution<std::int64_t>(1, last_point)(random);
    INFO("dies at point " << at << " of " << last_point);
    REQUIRE(run({.directory = directory.path(), .dies_at = at}) == SIGKILL);
    REQUIRE(run({.directory = directory.path()}) == 0);
    CHECK(text_of_file(directory.path() / "choices") == choices);
    CHECK(files_in(directory.path() / "cache" / "choices", ".json") == 1);
    // The open comparison (here at most ten rounds of two trials of two runs), or the open batch; the first
    // batch and the one in which a kernel joined; a lead-in for the suspect, which runs alone.
    constexpr std::size_t most_again = 40 + 2 + 1 + 1;
    CHECK(runs_in(directory.path()) <= runs + most_again);
    resumed += text_of_file(directory.path() / "resumed") == "0" ? 0 : 1;
  }
  CHECK(resumed > kills * 3 / 4);
}

TEST_CASE("resuming: a death at any time, also between the points, is survived") {
  const TemporaryDirectory undisturbed;
  REQUIRE(run({.directory = undisturbed.path()}) == 0);
  const std::string choices = left(undisturbed.path(), "choices");
  std::mt19937 random(11);
  int killed = 0;
  for (int i = 0; i < 40; ++i) {
    const TemporaryDirectory directory;
    const auto after = std::uniform_int_distribution<int>(100, 30'000)(random);
    INFO("dies after " << after << " us");
    killed += run({.directory = directory.path(), .dies_after = std::chrono::microseconds(after)}) == SIGKILL;
    REQUIRE(run({.directory = directory.path()}) == 0);
    CHECK(left(directory.path(), "choices") == choices);
  }
  CHECK(killed > 0);
}

TEST_CASE("resuming: an assignment that always kills is in quarantine after two deaths") {
  const TemporaryDirectory directory;
  Job job = of_two_kernels(directory.path(), kills_at(1, 4, 3));
  check_dies_twice(job);
  REQUIRE(run(job) == 0);
  CHECK_THAT(left(directory.path(), "warnings"),
             ContainsAll("first", "in quarantine: it has twice ended a process or broken a rank"));
  CHECK(left(directory.path(), "choices") != "first (1): 3\nsecond (1): 2\n");
  // It stays there for a later tuning, until somebody forgets the region.
  job.change = [](int, Options& options) { options.always_tune = true; };
  REQUIRE(run(job) == 0);
  CHECK_THAT(left(directory.path(), "warnings"), ContainsSubstring("in quarantine"));
  static_cast<void>(KeptChoices(directory.path() / "cache").forget("resumed region"));
  CHECK(run(job) == SIGKILL);
  job.region = nothing;
  REQUIRE(run(job) == 0);
  CHECK_THAT(left(directory.path(), "warnings"), !ContainsSubstring("in quarantine"));
}

TEST_CASE("resuming: so is one with which the watchdog ends the process, or the device fails") {
  const TemporaryDirectory directory;
  const int guilty = GENERATE(0, 1);
  const bool same_directory = GENERATE(true, false);
  INFO("rank " << guilty << (same_directory ? ", same directory" : ", directories of their own"));
  Job job = of_two_kernels(directory.path());
  int ends_with = 0;
  const auto place = [&, same_directory](int rank, Options& options) {
    options.cache_directory = directory.path() / (rank == 0 || same_directory ? "cache" : "other cache");
  };
  job.change = place;
  SECTION("watchdog") {
    job.change = [place](int rank, Options& options) {
      place(rank, options);
      options.deadline = std::chrono::milliseconds(100);
      options.grace = std::chrono::milliseconds(60);
    };
    job.region = [guilty](int rank, int first_tile, int second_tile) {
      while (rank == guilty && first_tile == 4 && second_tile == 3) {
        std::this_thread::sleep_for(std::chrono::seconds(1));
      }
    };
    ends_with = -deadline_exit_code;
  }
  SECTION("device") {
    job.region = [guilty](int rank, int first_tile, int second_tile) {
      throw_if<DeviceError>(rank == guilty && first_tile == 4 && second_tile == 3, "an illegal access");
    };
    ends_with = -1;
  }
  CHECK(run(job) == ends_with);
  CHECK(run(job) == ends_with);
  job.change = place;  // the short deadline is for what hangs, not for a busy machine
  REQUIRE(run(job) == 0);
  CHECK_THAT(left(directory.path(), "warnings"), ContainsSubstring("in quarantine"));
}

TEST_CASE("resuming: kept choices that are in quarantine are not used") {
  const TemporaryDirectory directory;
  Job job{.directory = directory.path(), .ranks = 1, .late_from = 1'000'000};
  REQUIRE(run(job) == 0);
  std::istringstream chosen(left(directory.path(), "tiles"));
  int first = 0;
  chosen >> first;
  REQUIRE(first > 1);
  job.change = [](int, Options& options) { options.always_tune = true; };
  job.region = kills_at(0, 4, 3);
  check_dies_twice(job);
  job.region = nothing;
  const auto tiles_in_use = [&] {
    job.change = [](int, Options& options) { options.mode = Mode::use; };
    const int ended_with = run(job);
    INFO(left(directory.path(), "error"));
    CHECK(ended_with == 0);
    return left(directory.path(), "tiles");
  };
  CHECK(tiles_in_use() == "1 1");
  fs::remove(only_journal(directory.path()));
  CHECK(tiles_in_use() == "4 4");
}

TEST_CASE("resuming: kept choices that kill while they are revalidated are out after two deaths") {
  const TemporaryDirectory directory;
  Job job = of_two_kernels(directory.path());
  REQUIRE(run(job) == 0);
  REQUIRE(left(directory.path(), "tiles") == "4 4");
  job.change = [](int, Options& options) { options.revalidate = Revalidate::tune_if_worse; };
  job.region = kills_at(1, 4, 3);
  int deaths = 0;
  int ended_with = SIGKILL;
  for (; ended_with == SIGKILL && deaths < 6; deaths += ended_with == SIGKILL ? 1 : 0) {
    ended_with = run(job);
  }
  CHECK(ended_with == 0);
  CHECK(deaths == 4);  // two as a kept set, two when it is tuned again
}

TEST_CASE("resuming: quarantine is in the report of every run that goes on over it") {
  const TemporaryDirectory directory;
  Job job = of_two_kernels(directory.path(), kills_at(1, 4, 3));
  check_dies_twice(job);
  job.region = dies_in_run(15, kills_at(1, 4, 3));
  CHECK(run(job) == SIGKILL);
  job.region = kills_at(1, 4, 3);
  REQUIRE(run(job) == 0);
  CHECK(count_of(left(directory.path(), "warnings"), "in quarantine") == 1);
}

TEST_CASE("resuming: an exception of the region is no death, and what was measured before it counts") {
  const TemporaryDirectory directory;
  Job job{.directory = directory.path()};
  job.region = [runs = 0](int rank, int, int) mutable {
    throw_if<std::runtime_error>(rank == 0 && ++runs == 30, "the file is not there");
  };
  REQUIRE(run(job) == -1);
  CHECK_THAT(left(directory.path(), "error"), ContainsSubstring("the file is not there"));
  CHECK(deaths_in(directory.path()).empty());
  REQUIRE(run({.directory = directory.path()}) == 0);
  CHECK(std::stoll(left(directory.path(), "resumed")) >= 20);
}

TEST_CASE("resuming: the defaults are never in quarantine, and deaths of one program keep no other one out") {
  const TemporaryDirectory directory;
  Job job{.directory = directory.path()};
  job.region = kills;
  check_dies_twice(job);
  CHECK(run(job) == -1);
  CHECK_THAT(
      left(directory.path(), "error"),
      ContainsAll("has twice ended a process or broken a rank while all its kernels used their defaults",
                  "To run it again, remove " + only_journal(directory.path()).string()));
  job.region = nothing;
  CHECK(run(job) == -1);
  SECTION("another program") {
    CHECK(run({.directory = directory.path(), .configs = 5}) == 0);
  }
  SECTION("the same one, without what is known of it") {
    fs::remove(only_journal(directory.path()));
    CHECK(run(job) == 0);
  }
}

TEST_CASE("resuming: a rank that is late before the first batch is no death of the defaults") {
  const TemporaryDirectory directory;
  static thread_local bool late = false;
  const auto slow = rank_kernel("slow to load", 2, {.load = [](const TileConfig&) {
                                  std::this_thread::sleep_for(std::chrono::milliseconds(late ? 1500 : 0));
                                }});
  Job job{.directory = directory.path()};
  job.change = [](int rank, Options& options) {
    late = rank == 1;
    options.deadline = std::chrono::milliseconds(500);
    options.grace = std::chrono::seconds(5);
  };
  for (int start = 0; start < 2; ++start) {
    CHECK(run(job) == -1);
    CHECK_THAT(left(directory.path(), "error"), ContainsSubstring("deadline"));
    CHECK(deaths_in(directory.path()).empty());
  }
  job.change = [change = job.change](int rank, Options& options) {
    change(rank, options);
    late = false;
  };
  CHECK(run(job) == 0);
}

TEST_CASE("resuming: a config that takes too long to be made ready is named, and out after two deaths") {
  const TemporaryDirectory directory;
  const int ranks = GENERATE(1, 2);
  const auto participation = GENERATE(Participation::all, Participation::some);
  INFO(ranks << " ranks, participation " << static_cast<int>(participation));
  static thread_local bool hangs = false;
  const RankKernels slow = kernel_per_rank(ranks, [&](int) {
    return rank_kernel("slow", 3,
                       {.load =
                            [](const TileConfig& config) {
                              while (hangs && config.tile == 2) {
                                std::this_thread::sleep_for(std::chrono::milliseconds(100));
                              }
                            },
                        .participation = participation});
  });
  Job job{.directory = directory.path(), .ranks = ranks};
  job.change = [&, ranks](int rank, Options& options) {
    hangs = rank == ranks - 1;
    options.deadline = std::chrono::milliseconds(rank == ranks - 1 ? 300 : 10'000);
    options.grace = std::chrono::milliseconds(100);
    options.log_directory = directory.path() / ("log " + std::to_string(rank));
  };
  job.region = [&](int rank, int, int) { slow(rank, 1); };
  CHECK(run(job) == -deadline_exit_code);
  CHECK(run(job) == -deadline_exit_code);
  REQUIRE(run(job) == 0);
  const fs::path logs = directory.path() / ("log " + std::to_string(ranks - 1));
  const std::string log = text_of_file(logs / ("rank-" + std::to_string(ranks - 1) + ".log"));
  CHECK_THAT(log, ContainsAll("blocked in: prepare",
                              "kernel: slow | key: (1) | config-id: 1 | config: {TILE: 2} | since",
                              "in quarantine: it has ended processes while it ran or was made ready"));
  job.change = [change = job.change](int rank, Options& options) {
    change(rank, options);
    options.always_tune = true;
  };
  REQUIRE(run(job) == 0);
}

TEST_CASE("resuming: of several configs that are made ready at a death each is tried alone") {
  const TemporaryDirectory directory;
  const int ranks = GENERATE(1, 2);
  INFO(ranks << " ranks");
  static thread_local bool dies = false;
  const auto loaded = [ranks](const std::string& name, int dies_of_tile) {
    return kernel_per_rank(ranks, [=](int) {
      return rank_kernel(name, 3, {.load = [dies_of_tile](const TileConfig& config) {
                           if (dies && config.tile == dies_of_tile) {
                             // No rank dies of it so soon that rank 0 has not written it down.
                             std::this_thread::sleep_for(std::chrono::milliseconds(20));
                             ::kill(::getpid(), SIGKILL);
                           }
                         }});
    });
  };
  const RankKernels innocent = loaded("innocent", 0);
  const RankKernels deadly = loaded("deadly", 2);
  Job job{.directory = directory.path(), .ranks = ranks};
  job.change = [ranks](int rank, Options&) { dies = rank == ranks - 1; };
  job.region = [&](int rank, int, int) {
    const RegionContext context = RegionContext::current();
    const auto launch = [&](const RankKernels& kernels) {
      std::thread([&] {
        const ContextGuard guard(context, LaunchOrder::any);
        (*kernels[static_cast<std::size_t>(rank)])(1);
      }).join();
    };
    launch(rank == 0 ? innocent : deadly);  // the ranks meet the kernels in other orders
    launch(rank == 0 ? deadly : innocent);
  };
  check_dies_twice(job);
  const std::vector<std::string> quarantined = deaths_in(directory.path()).quarantined();
  CHECK_THAT(only(quarantined), ContainsSubstring("deadly"));
  REQUIRE(run(job) == 0);
}

TEST_CASE("resuming: a device that fails before the batch is no death of what was to run in it") {
  const TemporaryDirectory directory;
  const int ranks = GENERATE(1, 2);
  const auto participation = GENERATE(Participation::all, Participation::some);
  INFO(ranks << " ranks, participation " << static_cast<int>(participation));
  static thread_local bool breaks = false;
  const RankKernels broken = kernel_per_rank(ranks, [&](int) {
    return rank_kernel(
        "broken", 3,
        {.load =
             [](const TileConfig& config) { throw_if<DeviceError>(breaks && config.tile == 3, "no memory"); },
         .participation = participation});
  });
  Job job{.directory = directory.path(), .ranks = ranks};
  job.change = [ranks](int rank, Options& options) {
    breaks = rank == ranks - 1;
    options.deadline = std::chrono::seconds(5);
  };
  job.region = [&](int rank, int, int) {
    if (participation == Participation::all || breaks) {
      broken(rank, 1);
    }
  };
  for (int start = 0; start < 2; ++start) {
    CHECK(run(job) == -1);
    CHECK_THAT(left(directory.path(), "error"), ContainsSubstring("no memory"));
    CHECK_THAT(left(directory.path(), "error of the last rank"), ContainsSubstring("no memory"));
  }
  CHECK(deaths_in(directory.path()).empty());
}

TEST_CASE("resuming: with other kernels or options a tuning is begun anew, and says so") {
  const TemporaryDirectory directory;
  REQUIRE(run(cut_off(directory.path())) == SIGKILL);
  SECTION("kernels") {
    Job job{.directory = directory.path(), .configs = 5};
    REQUIRE(run(job) == 0);
    CHECK_THAT(left(directory.path(), "warnings"),
               ContainsSubstring("goes on with 0 tuning iterations that an earlier process has measured, and "
                                 "not with the rest: it was begun with other kernels"));
  }
  SECTION("options") {
    Job job{.directory = directory.path()};
    job.change = [](int, Options& options) { options.n_repeat = 3; };
    REQUIRE(run(job) == 0);
  }
  SECTION("another course of the region") {
    Job job{.directory = directory.path(), .late_from = 0};
    REQUIRE(run(job) == 0);
    CHECK_THAT(left(directory.path(), "warnings"),
               ContainsAll("goes on with 0 tuning iterations",
                           "not with the rest: the region launches other kernels or keys"));
  }
  SECTION("a later course of the region") {
    Job job{.directory = directory.path(), .late_from = 22};
    REQUIRE(run(job) == 0);
    CHECK_THAT(left(directory.path(), "warnings"), ContainsSubstring("this run goes on with") &&
                                                       !ContainsSubstring("with 0 tuning") &&
                                                       ContainsSubstring("not with the rest: "));
  }
  CHECK(files_in(directory.path() / "cache" / "choices", ".json") == 1);
}

namespace {

/// Measures by counters, or by events where some rank cannot.
class NamedTimer final : public testing::ForwardingTimer {
 public:
  NamedTimer(TimerFactory make, std::string name)
      : ForwardingTimer(make()), make_(std::move(make)), name_(std::move(name)) {}
  std::string_view name() const noexcept override { return name_; }
  std::string_view substitute_name() const noexcept override {
    return name_ == "events" ? std::string_view() : "events";
  }
  std::unique_ptr<Timer> make_substitute() override { return std::make_unique<NamedTimer>(make_, "events"); }

 private:
  TimerFactory make_;
  std::string name_;
};

}  // namespace

TEST_CASE("resuming: what another timer has measured does not count") {
  const TemporaryDirectory directory;
  Job job = cut_off(directory.path());
  static const char* of_last_rank = "counters";
  job.change = [](int rank, Options& options) {
    options.timer = [make = options.timer, rank] {
      return std::make_unique<NamedTimer>(make, rank == 1 ? of_last_rank : "counters");
    };
  };
  REQUIRE(run(job) == SIGKILL);
  job.region = nothing;
  of_last_rank = "events";
  REQUIRE(run(job) == 0);
  CHECK(left(directory.path(), "resumed") == "0");
}

TEST_CASE("resuming: a journal that was cut or changed is followed as far as it is right") {
  const TemporaryDirectory undisturbed;
  REQUIRE(run({.directory = undisturbed.path()}) == 0);
  const std::string choices = left(undisturbed.path(), "choices");
  std::mt19937 random(3);
  for (int i = 0; i < 30; ++i) {
    const TemporaryDirectory directory;
    REQUIRE(run(cut_off(directory.path())) == SIGKILL);
    const fs::path journal = only_journal(directory.path());
    std::string text = text_of_file(journal);
    const std::size_t at = std::uniform_int_distribution<std::size_t>(0, text.size() - 1)(random);
    INFO("byte " << at << " of " << text.size());
    if (i % 2 == 0) {
      text.resize(at);
    } else {
      text[at] = static_cast<char>(text[at] ^ 1);
    }
    std::ofstream(journal, std::ios::binary) << text;
    REQUIRE(run({.directory = directory.path()}) == 0);
    CHECK(left(directory.path(), "choices") == choices);
  }
}

TEST_CASE("resuming: no journal is written where there is none to be, and a tuning goes on without") {
  const TemporaryDirectory directory;
  Job job = cut_off(directory.path());
  SECTION("by option") {
    job.change = [](int, Options& options) { options.journal = Journal::off; };
    REQUIRE(run(job) == SIGKILL);
    CHECK(!fs::exists(directory.path() / "cache" / "journal"));
  }
  SECTION("without a directory for choices") {
    job.change = [](int, Options& options) { options.cache_directory = ""; };
    REQUIRE(run(job) == SIGKILL);
    CHECK(!fs::exists(directory.path() / "cache"));
  }
  SECTION("a directory that others can write") {
    fs::create_directories(directory.path() / "cache" / "journal");
    fs::permissions(directory.path() / "cache" / "journal", fs::perms::all);
    REQUIRE(run({.directory = directory.path()}) == 0);
    CHECK_THAT(left(directory.path(), "warnings"),
               ContainsAll("this run cannot be resumed", "others can write it"));
  }
  SECTION("a disk that gets full") {
    Job full{.directory = directory.path()};
    ScriptedFiles files({{FileCall::write, ".journal", ENOSPC, 1, 5}});
    REQUIRE(run(full) == 0);
    CHECK_THAT(left(directory.path(), "warnings"),
               ContainsAll("this run cannot be resumed", "No space left on device"));
  }
  SECTION("synced") {
    job.change = [](int, Options& options) { options.journal = Journal::synced; };
    REQUIRE(run(job) == SIGKILL);
    Job again{.directory = directory.path()};
    again.change = job.change;
    REQUIRE(run(again) == 0);
    CHECK(left(directory.path(), "resumed") != "0");
  }
}

namespace {

/// Each rank also tunes a kernel under a key of its own, of which earlier configs are faster.
Job with_own_kernel(
    const fs::path& directory, std::array<int, 2> configs,
    const std::function<void(int, int)>& launch = [](int, int) {}) {
  Job job{.directory = directory};
  const auto own = std::make_shared<RankKernels>(kernel_per_rank(2, [&](int rank) {
    return rank_kernel("own", configs.at(static_cast<std::size_t>(rank)),
                       {.participation = Participation::some},
                       [rank, launch](const TileConfig& config, int&) { launch(rank, config.tile); });
  }));
  job.region = [own](int rank, int, int) { (*(*own)[static_cast<std::size_t>(rank)])(rank); };
  job.change = [](int, Options& options) {
    options.timer = testing::scripted_timer(
        [](const LaunchInfo& launched) {
          const auto id = static_cast<std::int64_t>(launched.config_id);
          return launched.kernel == "own" ? 5000 + 500 * id : 10000 - 1000 * id;
        },
        [](std::int64_t, const auto& launches) { return makespan(launches, 900); });
    options.feasible = [](std::span<const AssignedConfig>) { return true; };
  };
  return job;
}

/// The same, and it dies in the 60th run of the region.
Job cut_off_with_own_kernel(const fs::path& directory) {
  Job job = with_own_kernel(directory, {12, 12});
  job.region = dies_in_run(60, job.region);
  return job;
}

}  // namespace

TEST_CASE("resuming: a rank that fails while it follows is named by the others") {
  const TemporaryDirectory directory;
  REQUIRE(run(cut_off_with_own_kernel(directory.path())) == SIGKILL);
  Job again = with_own_kernel(directory.path(), {12, 12});
  again.change = [change = again.change](int rank, Options& options) {
    change(rank, options);
    options.feasible = [rank](std::span<const AssignedConfig>) -> bool {
      throw_if<std::runtime_error>(rank == 0, "no verdict");
      return true;
    };
  };
  REQUIRE(run(again) == -1);
  CHECK(left(directory.path(), "error") == "no verdict");
  CHECK_THAT(left(directory.path(), "error of the last rank"), ContainsAll("rank 0", "no verdict"));
}

TEST_CASE("resuming: what ranks tune under keys of their own goes on, too") {
  const auto with_own = [](const fs::path& directory) {
    Job job = with_own_kernel(directory, {3, 12}, [](int rank, int tile) {
      throw_if<ConfigRejected>(rank == 1 && tile == 5, "not here");
    });
    job.change = [](int, Options& options) { options.search = SearchLevel::quick; };
    return job;
  };
  const TemporaryDirectory undisturbed;
  REQUIRE(run(with_own(undisturbed.path())) == 0);
  std::mt19937 random(5);
  const std::int64_t last_point = std::stoll(left(undisturbed.path(), "points"));
  const int kills = repetitions(40);
  for (int i = 0; i < kills; ++i) {
    const TemporaryDirectory directory;
    Job job = with_own(directory.path());
    job.dies_at = std::uniform_int_distribution<std::int64_t>(1, last_point)(random);
    INFO("dies at point " << job.dies_at << " of " << last_point);
    REQUIRE(run(job) == SIGKILL);
    job.dies_at = 0;
    REQUIRE(run(job) == 0);
    CHECK(runs_in(directory.path()) <= runs_in(undisturbed.path()) + 44);  // as above
    CHECK(left(directory.path(), "choices") == left(undisturbed.path(), "choices"));
  }
}

TEST_CASE("resuming: what fails in a batch that is run again, and had not failed, counts on all ranks") {
  const SearchLevel level = GENERATE(SearchLevel::off, SearchLevel::normal);
  const TemporaryDirectory directory;
  Job job = cut_off(directory.path());
  job.change = [level](int, Options& options) { options.search = level; };
  job.late_from = 1'000'000;
  job.region = dies_in_run(8);
  REQUIRE(run(job) == SIGKILL);
  job.region = nothing;
  job.launch = [](int rank, int tile) {
    throw_if<ConfigRejected>(rank == 1 && tile == 1, "not here any more");
  };
  REQUIRE(run(job) == 0);
  CHECK_THAT(left(directory.path(), "warnings"), ContainsSubstring("what was run again has failed now"));
  std::istringstream tiles(left(directory.path(), "tiles"));
  int of_first = 0;
  int of_last = 0;
  tiles >> of_first >> of_last;
  CHECK(of_first == of_last);
  CHECK(of_last != 1);
}

TEST_CASE("resuming: choices of which the final run dies twice give way to others") {
  const TemporaryDirectory directory;
  Job job = of_two_kernels(directory.path());
  job.change = [](int, Options& options) {
    options.search = SearchLevel::off;  // the best by own time have never run together
    options.timer = testing::scripted_timer([](const LaunchInfo& launch) {
      const bool best = launch.kernel == "first" ? launch.config_id == 1 : launch.config_id == 2;
      return best ? 1000 : 2000;
    });
  };
  job.region = kills_at(1, 2, 3);
  check_dies_twice(job);
  REQUIRE(run(job) == 0);
  CHECK_THAT(left(directory.path(), "warnings"), ContainsSubstring("in quarantine"));
  CHECK(left(directory.path(), "choices") != "first (1): 1\nsecond (1): 2\n");
}

TEST_CASE("resuming: a batch of which processes die when it is run again is in quarantine, too") {
  const TemporaryDirectory directory;
  static thread_local std::int64_t iteration = 0;
  Job job = cut_off(directory.path());
  job.change = [](int, Options& options) {
    options.before_iteration = [first = options.before_iteration](const IterationInfo& info) {
      iteration = info.tuning_iteration;
      first(info);
    };
  };
  REQUIRE(run(job) == SIGKILL);
  job.region = [at = job.late_from](int rank, int, int) {  // when a kernel had joined
    if (rank == 0 && iteration == at) {
      ::kill(::getpid(), SIGKILL);
    }
  };
  check_dies_twice(job);
  REQUIRE(run(job) == 0);
  CHECK_THAT(left(directory.path(), "warnings"), ContainsSubstring("in quarantine"));
}

TEST_CASE("resuming: deaths with good runs of the suspect between them put nothing in quarantine") {
  const TemporaryDirectory directory;
  Job job{.directory = directory.path()};
  for (const int dies_in : {1, 3, 5}) {  // each time in a run of the defaults
    job.region = [dies_in, runs = 0](int rank, int first_tile, int second_tile) mutable {
      if (rank == 0 && first_tile == 1 && second_tile == 1 && ++runs == dies_in) {
        ::kill(::getpid(), SIGKILL);
      }
    };
    CHECK(run(job) == SIGKILL);
  }
  job.region = nothing;
  REQUIRE(run(job) == 0);
  CHECK_THAT(left(directory.path(), "warnings"), !ContainsSubstring("quarantine"));
}

TEST_CASE("resuming: a process that runs beside another one of the region leaves its files alone") {
  const TemporaryDirectory directory;
  Job second{.directory = directory.path() / "second"};
  second.change = [&](int, Options& options) { options.cache_directory = directory.path() / "cache"; };
  fs::create_directories(second.directory);
  // The first one waits within its region until the second one has ended.
  Job first{.directory = directory.path()};
  first.region = [&](int rank, int, int) {
    if (rank == 0 && !fs::exists(directory.path() / "begun")) {
      const std::string before = text_of_file(only_journal(directory.path()));
      std::ofstream(directory.path() / "begun") << ".";
      for (int i = 0; i < 3000 && !fs::exists(second.directory / "points"); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
      const bool same = text_of_file(only_journal(directory.path())) == before;
      std::ofstream(directory.path() / "journal") << (same ? "as it was" : "changed");
    }
  };
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::_exit(run(first) == 0 ? 0 : 1);
  }
  for (int i = 0; i < 3000 && !fs::exists(directory.path() / "begun"); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CHECK(run(second) == 0);
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  CHECK(status == 0);
  CHECK(left(directory.path(), "journal") == "as it was");
  CHECK_THAT(left(second.directory, "warnings"), ContainsSubstring("is tuning the region"));
  CHECK_THAT(left(directory.path(), "warnings"), !ContainsSubstring("cannot be resumed"));
}

TEST_CASE("resuming: the journal stays until the choices are kept") {
  const TemporaryDirectory directory;
  fs::create_directories(directory.path() / "cache");
  fs::permissions(directory.path() / "cache", fs::perms::owner_all);
  std::ofstream(directory.path() / "cache" / "choices") << "a file where a folder is to be";
  REQUIRE(run({.directory = directory.path()}) == 0);
  CHECK_THAT(left(directory.path(), "warnings"), ContainsSubstring("the choices are not kept"));
  CHECK(files_in(directory.path() / "cache" / "journal", ".journal") == 1);
  fs::remove(directory.path() / "cache" / "choices");
  REQUIRE(run({.directory = directory.path()}) == 0);
  CHECK(std::stoll(left(directory.path(), "resumed")) > 50);
  CHECK(files_in(directory.path() / "cache" / "journal", ".journal") == 0);
}

}  // namespace contextual::test::resuming_test

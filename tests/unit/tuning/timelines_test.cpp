#include "contextual/tuning/timelines.hpp"

#include "support/launches.hpp"
#include "support/log_events.hpp"
#include "support/ranks.hpp"

namespace contextual::test::timelines_test {

using namespace tuning;
using nlohmann::json;

namespace {

constexpr int host = -1;

/// Launches of two problems in one iteration.
struct Launches {
  detail::ProblemSlot first{0, {}};
  detail::ProblemSlot second{1, {}};
  std::vector<detail::LaunchRecord> records;
  std::vector<LaunchTiming> timings;
  IterationTiming iteration;

  void add(detail::ProblemSlot& slot, std::vector<Span> spans) {
    detail::LaunchRecord record;
    record.slot = &slot;
    record.config_id = 7;
    records.push_back(record);
    timings.push_back({{}, 0, std::move(spans)});
  }

  detail::IterationTimeline timeline() {
    std::vector<detail::LaunchRecord*> pointers;
    for (detail::LaunchRecord& record : records) {
      pointers.push_back(&record);
    }
    return timelines_of(pointers, timings, {&iteration, 1}).at(0);
  }
};

bool is(const Span& span, std::int64_t begin_ns, std::int64_t end_ns, int device) {
  return span.begin_ns == begin_ns && span.end_ns == end_ns && span.device == device;
}

/// The timelines of a rank by side.
std::map<std::string, json> timelines_by_side(const std::filesystem::path& directory, int rank) {
  std::map<std::string, json> by_side;
  for (json& event : events_in(directory, rank, "timeline")) {
    by_side[event.at("side").get<std::string>()] = event;
  }
  CHECK(by_side.size() == events_in(directory, rank, "timeline").size());
  return by_side;
}

/// Each rank's clock has begun at another time. Config 1 of the first kernel is the fastest, config 2 the
/// slowest; the second kernel begins when the first has ended, or 10 us earlier with its config 1.
Options scripted(const std::shared_ptr<Communicator>& communicator, int rank) {
  Options options = rank_options(communicator);
  const std::int64_t clock_ns = 1'000'000'000'000 * (rank + 1);
  const auto first_ns = [](std::size_t config) { return config == 1 ? 40'000 : 60'000 + 5'000 * config; };
  options.timer = testing::scripted_timer_with(
      {.launch_ns = [first_ns](const LaunchInfo& launch) -> std::int64_t {
         return launch.kernel == "timelines_first" ? static_cast<std::int64_t>(first_ns(launch.config_id))
                                                   : 20'000;
       },
       .makespan_ns = [first_ns](std::int64_t,
                                 const std::vector<testing::ScriptedLaunch>& launches) -> std::int64_t {
         std::int64_t makespan_ns = 25'000;
         for (const testing::ScriptedLaunch& launch : launches) {
           makespan_ns += launch.kernel == "timelines_first"
                              ? static_cast<std::int64_t>(first_ns(launch.config_id))
                              : -10'000 * static_cast<std::int64_t>(launch.config_id);
         }
         return makespan_ns;
       },
       .launch_begin_ns = [clock_ns](const LaunchInfo& launch) -> std::int64_t {
         return clock_ns + 1'000'000 * launch.tuning_iteration +
                (launch.kernel == "timelines_first" ? 5'000 : 25'000);
       },
       .iteration_begin_ns =
           [clock_ns](std::int64_t iteration) { return clock_ns + 1'000'000 * iteration; }});
  return options;
}

/// Tunes a region of both kernels on ranks that log into `directory`; `between` is called in each run.
void tune_logged(
    int ranks, const std::filesystem::path& directory, SearchLevel search,
    const std::function<void()>& between = [] {}) {
  const auto first = rank_kernel("timelines_first", 3);
  const auto second = rank_kernel("timelines_second", 2);
  on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto& communicator) {
    Options options = scripted(communicator, rank);
    options.search = search;
    options.log_directory = directory;
    tuner.run(
        "timelines", [&] { (*first)(1), between(), (*second)(1); }, options);
  });
}

}  // namespace

TEST_CASE("timelines_of: spans are relative to the first work, other work's and the timer's begin included") {
  Launches launches;
  launches.add(launches.second, {{1'500, 1'900, 0}});
  launches.add(launches.first, {{1'200, 1'400, 1}, {1'300, 1'300, 1}});
  launches.iteration.other_spans = {{1'100, 1'150, 0}};
  launches.iteration.begin_ns = 1'050;
  launches.iteration.end_ns = 2'000;
  const detail::IterationTimeline timeline = launches.timeline();
  CHECK(timeline.begin_ns == 1'050);
  CHECK(timeline.end_ns == 2'000);
  REQUIRE(timeline.launches.size() == 2);  // in the order of their begins; without the empty one
  CHECK(timeline.launches[0].slot == 0);
  CHECK(timeline.launches[0].config_id == 7);
  CHECK(is(timeline.launches[0].span, 150, 350, 1));
  CHECK(timeline.launches[1].slot == 1);
  CHECK(is(timeline.launches[1].span, 450, 850, 0));
  REQUIRE(timeline.others.has_value());
  REQUIRE(timeline.others->size() == 1);
  CHECK(is(timeline.others->front(), 50, 100, 0));
  CHECK(timeline.left_out_count == 0);
}

TEST_CASE("timelines_of: without the iteration's extent it spans the launches; other work stays unknown") {
  Launches launches;
  launches.add(launches.first, {{1'200, 1'400, 0}});
  const detail::IterationTimeline timeline = launches.timeline();
  CHECK(timeline.begin_ns == 1'200);
  CHECK(timeline.end_ns == 1'400);
  CHECK_FALSE(timeline.others.has_value());
}

TEST_CASE("timelines_of: work on the host, beside work on a device, begins with the iteration") {
  Launches launches;
  launches.add(launches.first, {{1'000'200, 1'000'400, 0}});
  launches.add(launches.second, {{77, 97, host}});
  launches.add(launches.second, {{100, 577, host}});
  const detail::IterationTimeline timeline = launches.timeline();
  CHECK(timeline.begin_ns == 1'000'200);
  CHECK(timeline.end_ns == 1'000'700);
  REQUIRE(timeline.launches.size() == 3);
  CHECK(is(timeline.launches[0].span, 0, 200, 0));
  CHECK(is(timeline.launches[1].span, 0, 20, host));
  CHECK(is(timeline.launches[2].span, 23, 500, host));
}

TEST_CASE("timelines_of: an iteration without any time has none") {
  Launches launches;
  launches.add(launches.first, {});
  launches.iteration.other_spans = {{1'100, 1'150, 0}};
  const detail::IterationTimeline timeline = launches.timeline();
  CHECK(timeline.begin_ns == timeline.end_ns);
  CHECK(timeline.launches.empty());
}

TEST_CASE("timelines_of: beyond the limit the latest spans are left out and counted") {
  Launches launches;
  std::vector<Span> spans;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(most_timeline_spans) - 1; ++i) {
    spans.push_back({10 * i + 1, 10 * i + 9, 0});
  }
  launches.add(launches.first, spans);
  launches.iteration.other_spans = {{7, 8, 0}, {3, 4, 0}, {5, 6, 0}};
  const detail::IterationTimeline timeline = launches.timeline();
  CHECK(timeline.launches.size() == most_timeline_spans - 1);
  REQUIRE(timeline.others->size() == 1);
  CHECK(is(timeline.others->front(), 2, 3, 0));
  CHECK(timeline.left_out_count == 2);
}

TEST_CASE("logs: the timelines are those of the closing comparison, of the same iterations on all ranks") {
  const TemporaryDirectory directory;
  tune_logged(2, directory.path(), SearchLevel::normal);
  std::map<std::string, json> of_rank_0 = timelines_by_side(directory.path(), 0);
  for (int rank = 0; rank < 2; ++rank) {
    std::map<std::string, json> sides = timelines_by_side(directory.path(), rank);
    REQUIRE(sides.size() == 2);
    const json& chosen = sides.at("chosen");
    const json& defaults = sides.at("defaults");
    CHECK(chosen.at("tuning_iteration") == of_rank_0.at("chosen").at("tuning_iteration"));
    CHECK(defaults.at("tuning_iteration") == of_rank_0.at("defaults").at("tuning_iteration"));
    for (const auto& [side, event] : sides) {
      INFO(side << " of rank " << rank);
      CHECK(event.at("phase").get<std::string>() == "search");
      const auto iteration = event.at("tuning_iteration").get<std::int64_t>();
      CHECK(event.at("begin_ns").get<std::int64_t>() ==
            1'000'000'000'000 * (rank + 1) + 1'000'000 * iteration);
      CHECK(event.at("end_ns").get<std::int64_t>() - event.at("begin_ns").get<std::int64_t>() ==
            event.at("makespan_ns").get<std::int64_t>());
      CHECK_FALSE(event.at("others_known").get<bool>());
      REQUIRE(event.at("launches").size() == 2);
      CHECK(event.at("launches")[0].at("begin_ns").get<int>() == 5'000);
      CHECK(event.at("launches")[1].at("begin_ns").get<int>() == 25'000);
      // It was a sample: the run before it had the same configs.
      bool led_in = false;
      for (const json& launch : events_in(directory.path(), rank, "launch")) {
        led_in = led_in || (launch.at("tuning_iteration").get<std::int64_t>() == iteration &&
                            launch.at("role").get<std::string>() == "candidate");
      }
      CHECK(led_in);
    }
    // Of the last round: no later iteration than these two, but for the final run.
    const auto last = std::max(chosen.at("tuning_iteration").get<std::int64_t>(),
                               defaults.at("tuning_iteration").get<std::int64_t>());
    CHECK(events_in(directory.path(), rank, "run_end")[0].at("tuning_iteration").get<std::int64_t>() ==
          last + 1);
    CHECK(chosen.at("launches")[0].at("config_id").get<int>() == 1);
    CHECK(chosen.at("launches")[1].at("config_id").get<int>() == 1);
    CHECK(chosen.at("launches")[0].at("end_ns").get<int>() == 45'000);
    CHECK(defaults.at("launches")[0].at("config_id").get<int>() == 0);
    CHECK(defaults.at("launches")[1].at("config_id").get<int>() == 0);
    CHECK(defaults.at("makespan_ns").get<int>() == 85'000);
  }
}

TEST_CASE("logs: without a search, the timelines are those of the walk's repeats, else of the final run") {
  const TemporaryDirectory directory;
  tune_logged(1, directory.path(), SearchLevel::off);
  const std::map<std::string, json> sides = timelines_by_side(directory.path(), 0);
  REQUIRE(sides.size() == 2);
  CHECK(sides.at("defaults").at("phase").get<std::string>() == "walk");
  CHECK(sides.at("defaults").at("tuning_iteration").get<int>() == 2);   // one warm-up and two repeats
  CHECK(sides.at("chosen").at("phase").get<std::string>() == "final");  // 1 and 0 never ran together before
  CHECK(sides.at("chosen").at("launches")[0].at("config_id").get<int>() == 1);
  CHECK(sides.at("chosen").at("launches")[1].at("config_id").get<int>() == 0);
}

TEST_CASE("logs: a run that fails has no timelines") {
  const TemporaryDirectory directory;
  int runs = 0;
  tune_logged(1, directory.path(), SearchLevel::off,
              [&] { throw_if<std::logic_error>(++runs == 7, "broke"); });
  CHECK(runs == 7);
  CHECK(events_in(directory.path(), 0, "timeline").empty());
}

TEST_CASE(
    "report: a choice's own time is that beside all that was chosen, its default's that beside all "
    "defaults") {
  Phase phase = Phase::walk;
  Options options = quick();
  options.search = SearchLevel::normal;
  options.before_iteration = [&](const IterationInfo& info) { phase = info.phase; };
  options.timer = testing::scripted_timer([&](const LaunchInfo& launch) -> std::int64_t {
    // In the walk the config that wins seems hardly faster.
    return launch.config_id != 1 ? 100'000 : phase == Phase::walk ? 99'000 : 40'000;
  });
  TunableKernel first{"own_times", blocks(2), single_problem, [](const Block&) {}};
  const RegionReport region = tuned(options, "own_times", [&] { first(); });
  const ProblemReport& problem = region.problems.at(0);
  REQUIRE(problem.choice == 1);
  CHECK(problem.configs[1].time.centre_ns == 99'000);
  CHECK(problem.time_in_choice.centre_ns == 40'000);
  CHECK(problem.time_in_defaults.centre_ns == 100'000);
  CHECK_THAT(region.choices_text(), ContainsSubstring("  40.0 us  -60 %\n"));
}

}  // namespace contextual::test::timelines_test

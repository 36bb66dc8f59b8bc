#include "unit/tools/sample_logs.hpp"

#include "contextual/record/log_lines.hpp"
#include "report/reading/logs.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>
#include <utility>

namespace report_test {
namespace {

namespace record = contextual::record;

using contextual::Phase;
using record::LaunchRole;

record::Event event_of(const SampleRun& run, int rank, record::EventBody body) {
  return {run.id + "-" + std::to_string(rank), rank, run.region, std::move(body)};
}

/// Writes one rank's events.
class Writer {
 public:
  Writer(const SampleRun& run, int rank) : run_(run), rank_(rank) {}

  void add(record::EventBody event) { events_.push_back(event_of(run_, rank_, std::move(event))); }

  template <typename E>
  static E about(const std::string& kernel, std::int64_t config) {
    E event;
    event.config = {{kernel, "(4096, bf16)"}, config, {{"BLOCK_N", 64 * (config + 1)}, {"IMPL", "mma"}}};
    return event;
  }

  /// A launch; the agreed time is that of the last rank, which is the slowest.
  void launch(Phase phase, std::int64_t iteration, const std::string& kernel, std::int64_t config,
              LaunchRole role, int step = 0) {
    auto row = about<record::LaunchRow>(kernel, config);
    const std::int64_t agreed = (kernel == "gemm" ? 100'000 - 20'000 * (config == 1) + 5'000 * (config == 2)
                                                  : 30'000 + 9'000 * config) +
                                100 * (iteration % 3);
    row.phase = phase;
    row.tuning_iteration = iteration;
    row.role = role;
    if (role != LaunchRole::best) {
      row.step_iteration = step;
    }
    row.agreed_ns = agreed;
    row.local_ns = agreed - 1'000 * (run_.ranks - 1 - rank_);
    row.makespan_ns = 200'000 + 1'000 * iteration;
    row.local_makespan_ns = 200'000 + 1'000 * iteration - 500 * (run_.ranks - 1 - rank_);
    add(row);
  }

  const std::string& id() const { return run_.id; }
  Events take() { return std::move(events_); }

 private:
  SampleRun run_;
  int rank_;
  Events events_;
};

void start(Writer& out, const SampleRun& run, int rank) {
  record::RunStart event;
  event.rank_count = run.ranks;
  event.group = run.ranks == 1 ? "one rank" : "MPI (" + std::to_string(run.ranks) + " ranks)";
  event.process_rank = rank;
  event.options = "n_warmup=1 n_repeat=2 search=normal";
  event.restore = "\"weights\"";
  event.time_iso8601 = run.time;
  out.add(event);
}

void walk(Writer& out) {
  for (std::int64_t iteration = 0; iteration < 9; ++iteration) {
    const std::int64_t config = iteration / 3;
    const int step = static_cast<int>(iteration % 3);
    const LaunchRole role = step == 0 ? LaunchRole::warmup : LaunchRole::repeat;
    out.launch(Phase::walk, iteration, "gemm", config, role, step);
    if (config < 2) {
      out.launch(Phase::walk, iteration, "norm", config, role, step);
    } else {
      out.launch(Phase::walk, iteration, "norm", 0, LaunchRole::best);
    }
    if (step == 2) {
      auto summary = out.about<record::ConfigSummary>("gemm", config);
      summary.sample_count = 2;
      summary.centre_ns = 100'000;
      summary.spread_ns = 74.13;
      out.add(summary);
    }
  }
}

/// Three assignments, each with a lead-in and one run that counts.
void search(Writer& out) {
  const std::array<std::pair<std::int64_t, std::int64_t>, 3> assignments{{{1, 0}, {0, 0}, {1, 1}}};
  for (std::int64_t iteration = 9; iteration < 15; ++iteration) {
    const auto [gemm, norm] = assignments[static_cast<std::size_t>(iteration - 9) / 2];
    const int step = static_cast<int>(iteration - 9) % 2;
    const LaunchRole role = step == 0 ? LaunchRole::lead_in : LaunchRole::candidate;
    out.launch(Phase::search, iteration, "gemm", gemm, role, step);
    out.launch(Phase::search, iteration, "norm", norm, role, step);
  }
  out.add(sample_search());
}

/// Each rank has a clock of its own. The last one waits 2 us in the handshake, every other one 1 us longer
/// than the next, and each ends 300 ns after the one before it.
void timeline(Writer& out, const SampleRun& run, int rank, record::TimelineSide side, std::int64_t iteration,
              std::int64_t gemm) {
  record::Timeline event;
  const std::int64_t met_ns = 2'000 + 1'000 * (run.ranks - 1 - rank);
  const std::int64_t gemm_ns = 190'000 - 20'000 * gemm;
  event.side = side;
  event.tuning_iteration = iteration;
  event.makespan_ns = 205'000 + 25'000 * (1 - gemm);
  event.begin_ns = 1'000'000'000'000 * (rank + 1) + 1'000'000 * iteration;
  event.launches = {{{"gemm", "(4096, bf16)"}, gemm, 0, met_ns + 100, met_ns + 100 + gemm_ns},
                    {{"norm", "(4096, bf16)"}, 0, 0, met_ns + 90'100, met_ns + 120'100},
                    {{"norm", "(4096, bf16)"}, 0, 0, met_ns + 110'100, met_ns + 140'100}};
  event.end_ns = event.begin_ns + met_ns + 100 + gemm_ns + 300 * rank;
  event.others_known = true;
  event.others = {{0, 0, 500}, {0, 600, met_ns}, {0, met_ns + 150'000, met_ns + 151'000}};
  out.add(event);
}

void choices(Writer& out) {
  auto gemm = out.about<record::Choice>("gemm", 1);
  gemm.latency_ns = 80'000;
  gemm.reason = "fastest by own time, 20.0 % shorter than the default";
  gemm.walk_ns = 5'000'000;
  out.add(gemm);
  auto norm = out.about<record::Choice>("norm", 0);
  norm.latency_ns = 30'000;
  norm.reason = "the default is the fastest by own time";
  out.add(norm);
}

}  // namespace

record::SearchResult sample_search() {
  record::SearchResult search;
  search.problems = {{{"gemm", "(4096, bf16)"}, contextual::ChosenBy::makespan, 1, 1},
                     {{"norm", "(4096, bf16)"}, contextual::ChosenBy::makespan, 0, 1}};
  search.existing_count = 6;
  search.measured_count = 3;
  search.failed_count = 2;
  search.run_count = 26;
  search.lead_in_count = 11;
  search.measured = {{{0, 0}, 4, 230'000, 600, record::Standing::other},
                     {{1, 0}, 5, 205'000, 700, record::Standing::choice},
                     {{1, 1}, 4, 205'500, 800, record::Standing::within_noise}};
  search.infeasible = {{{2, 0}, "rank 1: no progress in 1000 ms"}};
  search.within_noise_count = 1;
  search.reason = "the shortest makespan, 11.3 % shorter than the defaults";
  search.reference = contextual::SearchReference::defaults;
  search.reference_config_ids = {0, 0};
  search.round_count = 3;
  search.reference_makespan_ns = 230'000;
  search.reference_spread_ns = 600;
  search.choice_makespan_ns = 205'000;
  search.choice_spread_ns = 700;
  search.gain = 0.113;
  search.gain_low = 0.104;
  search.gain_high = 0.122;
  search.own_time_cost = 0.0024;
  return search;
}

Events events_of(const SampleRun& run, int rank) {
  Writer out(run, rank);
  start(out, run, rank);
  record::Hello hello;
  hello.tuning_id = run.id;
  out.add(hello);
  walk(out);
  search(out);
  choices(out);
  out.launch(Phase::final_run, 15, "gemm", 1, LaunchRole::best);
  out.launch(Phase::final_run, 15, "norm", 0, LaunchRole::best);
  timeline(out, run, rank, record::TimelineSide::chosen, 10, 1);
  timeline(out, run, rank, record::TimelineSide::defaults, 12, 0);
  record::RunEnd end;
  end.phase = record::RunStage::final_run;
  end.tuning_iteration = 15;
  end.problem_count = 2;
  end.walk_iterations = 9;
  end.search_iterations = 6;
  end.elapsed_ns = 5'300'000'000;
  out.add(end);
  return out.take();
}

Events until(const Events& events, std::int64_t iteration) {
  const auto end = std::find_if(events.begin(), events.end(), [&](const record::Event& event) {
    const auto* launch = std::get_if<record::LaunchRow>(&event.body);
    return launch != nullptr && launch->tuning_iteration >= iteration;
  });
  return {events.begin(), end};
}

Events without_timelines(const Events& events) {
  Events others;
  std::copy_if(events.begin(), events.end(), std::back_inserter(others), [](const record::Event& event) {
    return !std::holds_alternative<record::Timeline>(event.body);
  });
  return others;
}

Events start_only(const SampleRun& run, int rank) {
  Writer out(run, rank);
  start(out, run, rank);
  return out.take();
}

record::Event failed(const SampleRun& run, int rank, std::string type, std::string error,
                     std::vector<int> blamed, std::int64_t iteration) {
  record::RunEnd end;
  end.status = record::EndStatus::failed;
  end.error = std::move(error);
  end.error_type = std::move(type);
  end.blamed_ranks.assign(blamed.begin(), blamed.end());
  end.phase = record::RunStage::walk;
  end.tuning_iteration = iteration;
  end.elapsed_ns = 1'000'000'000;
  return event_of(run, rank, std::move(end));
}

record::Event blocked(const SampleRun& run, int rank, std::int64_t iteration) {
  auto event = Writer::about<record::Blocked>("gemm", 1);
  event.tuning_iteration = iteration;
  event.since_iso8601 = run.time;
  event.blocked_ns = 70'000'000'000 + rank;
  return event_of(run, rank, std::move(event));
}

Events tuning_failed(const SampleRun& run, int rank, std::int64_t iteration) {
  Writer out(run, rank);
  for (std::int64_t config = 0; config < 3; ++config) {
    auto event = out.about<record::Rejected>("gemm", config);
    event.tuning_iteration = iteration;
    event.reason = "rank " + std::to_string(rank) + ": no memory for config-" + std::to_string(config);
    event.ranks = {rank};
    out.add(event);
  }
  Events events = out.take();
  events.emplace_back(
      failed(run, rank, "TuningFailedError", "no config is left, all 3 were rejected", {rank}, iteration));
  return events;
}

std::string lines_of(const Events& events) {
  std::string text;
  for (const record::Event& event : events) {
    text += record::to_json_line(event) + "\n";
  }
  return text;
}

std::vector<std::string> files_of(const SampleRun& run) {
  std::vector<std::string> files;
  for (int rank = 0; rank < run.ranks; ++rank) {
    files.push_back(lines_of(events_of(run, rank)));
  }
  return files;
}

contextual::log_report::Logs read(const std::vector<std::string>& files) {
  contextual::log_report::Logs logs;
  for (std::size_t i = 0; i < files.size(); ++i) {
    contextual::log_report::LogFile file;
    file.name = "rank-" + std::to_string(i) + ".jsonl";
    file.process = static_cast<std::int64_t>(i);
    std::istringstream stream(files[i]);
    contextual::log_report::read_log(stream, files[i].size(), std::move(file), logs);
  }
  return logs;
}

}  // namespace report_test

#include "sample_logs.hpp"

#include "contextual/store/json_format.hpp"

#include <algorithm>
#include <sstream>

namespace report_test {
namespace {

namespace store = contextual::store;

/// Writes one rank's events.
class Writer {
 public:
  Writer(const SampleRun& run, int rank) : run_(run), rank_(rank) {}

  template <typename E>
  void add(E event) {
    event.run_id = run_.id + "-" + std::to_string(rank_);
    event.rank = rank_;
    event.region = run_.region;
    events_.push_back(std::move(event));
  }

  template <typename E>
  E about(const std::string& kernel, std::size_t config) const {
    E event;
    event.kernel = kernel;
    event.key = "(4096, bf16)";
    event.config_id = config;
    event.config = contextual::Config{{"BLOCK_N", static_cast<int>(64 * (config + 1))}, {"IMPL", "mma"}};
    return event;
  }

  /// A launch; the agreed time is that of the last rank, which is the slowest.
  void launch(const std::string& phase, std::int64_t iteration, const std::string& kernel, std::size_t config,
              const std::string& role, int step) {
    auto row = about<store::LaunchRow>(kernel, config);
    const std::int64_t agreed = (kernel == "gemm" ? 100'000 - 20'000 * (config == 1) + 5'000 * (config == 2)
                                                  : 30'000 + 9'000 * config) +
                                100 * (iteration % 3);
    row.phase = phase;
    row.tuning_iteration = iteration;
    row.role = role;
    row.step_iteration = step;
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
  store::RunStart event;
  event.ranks = run.ranks;
  event.group = run.ranks == 1 ? "one rank" : "MPI (" + std::to_string(run.ranks) + " ranks)";
  event.process_rank = rank;
  event.options = "n_warmup=1 n_repeat=2 finals=true";
  event.time_iso8601 = run.time;
  out.add(event);
}

void walk(Writer& out) {
  for (std::int64_t iteration = 0; iteration < 9; ++iteration) {
    const auto config = static_cast<std::size_t>(iteration / 3);
    const int step = static_cast<int>(iteration % 3);
    const std::string role = step == 0 ? "warmup" : "repeat";
    out.launch("walk", iteration, "gemm", config, role, step);
    if (config < 2) {
      out.launch("walk", iteration, "norm", config, role, step);
    } else {
      out.launch("walk", iteration, "norm", 0, "best", 0);
    }
    if (step == 2) {
      auto summary = out.about<store::ConfigSummary>("gemm", config);
      summary.sample_count = 2;
      summary.centre_ns = 100'000;
      summary.spread_ns = 74.13;
      out.add(summary);
    }
  }
}

void finals(Writer& out) {
  for (std::int64_t iteration = 9; iteration < 15; ++iteration) {
    out.launch("finals", iteration, "gemm", iteration % 2 == 0 ? 0 : 1, "candidate",
               static_cast<int>(iteration - 9) / 2);
    out.launch("finals", iteration, "norm", 0, "best", 0);
  }
  store::Contest contest;
  contest.kind = "problem";
  contest.kernel = "gemm";
  contest.key = "(4096, bf16)";
  contest.entries = {{"config-1", 1, 3, 210'000, 900, std::nullopt, true},
                     {"config-0", 0, 3, 230'000, 800, -20'000, false}};
  contest.reason = "kept config-1: no candidate gained more than 0.5 % and the noise";
  out.add(contest);
}

void choices(Writer& out) {
  auto gemm = out.about<store::Choice>("gemm", 1);
  gemm.latency_ns = 80'000;
  gemm.reason = "fastest by own time, 20.0 % shorter than the default";
  out.add(gemm);
  auto norm = out.about<store::Choice>("norm", 0);
  norm.latency_ns = 30'000;
  norm.reason = "the default is the fastest by own time";
  out.add(norm);
}

}  // namespace

Events events_of(const SampleRun& run, int rank) {
  Writer out(run, rank);
  start(out, run, rank);
  store::Hello hello;
  hello.tuning_id = run.id;
  out.add(hello);
  walk(out);
  finals(out);
  choices(out);
  out.launch("final", 15, "gemm", 1, "best", 0);
  out.launch("final", 15, "norm", 0, "best", 0);
  store::RunEnd end;
  end.phase = "final";
  end.tuning_iteration = 15;
  end.problem_count = 2;
  end.walk_iterations = 9;
  end.finals_iterations = 6;
  end.elapsed_ns = 5'300'000'000;
  out.add(end);
  return out.take();
}

Events until(const Events& events, std::int64_t iteration) {
  const auto end = std::find_if(events.begin(), events.end(), [&](const store::Event& event) {
    const auto* launch = std::get_if<store::LaunchRow>(&event);
    return launch != nullptr && launch->tuning_iteration >= iteration;
  });
  return {events.begin(), end};
}

Events start_only(const SampleRun& run, int rank) {
  Writer out(run, rank);
  start(out, run, rank);
  return out.take();
}

store::RunEnd failed(const SampleRun& run, int rank, std::string type, std::string error,
                     std::vector<int> blamed, std::int64_t iteration) {
  store::RunEnd end;
  end.run_id = run.id + "-" + std::to_string(rank);
  end.rank = rank;
  end.region = run.region;
  end.status = "failed";
  end.error = std::move(error);
  end.error_type = std::move(type);
  end.blamed_ranks = std::move(blamed);
  end.phase = "walk";
  end.tuning_iteration = iteration;
  end.elapsed_ns = 1'000'000'000;
  return end;
}

store::Blocked blocked(const SampleRun& run, int rank, std::int64_t iteration) {
  auto event = Writer(run, rank).about<store::Blocked>("gemm", 1);
  event.run_id = run.id + "-" + std::to_string(rank);
  event.rank = rank;
  event.region = run.region;
  event.activity = "region";
  event.phase = "walk";
  event.tuning_iteration = iteration;
  event.since_iso8601 = run.time;
  event.blocked_ns = 70'000'000'000 + rank;
  event.action = "exit 84";
  return event;
}

std::string lines_of(const Events& events) {
  std::string text;
  for (const store::Event& event : events) {
    text += store::to_json_line(event) + "\n";
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

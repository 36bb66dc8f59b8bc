#include "contextual/record/recorder.hpp"

#include "contextual/options/option_text.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/record/make_events.hpp"
#include "contextual/record/quantities.hpp"
#include "contextual/record/utc_time.hpp"

#include <contextual/detail/storage/warning.hpp>
#include <contextual/detail/sync/launcher.hpp>
#include <contextual/error.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <system_error>
#include <utility>

namespace contextual::record {

using detail::ProblemSlot;

namespace {

std::string new_run_id() {
  static std::atomic<unsigned> next{0};
  return utc_text(std::chrono::system_clock::now(), "%Y%m%dT%H%M%SZ") + "-" + std::to_string(getpid()) + "-" +
         std::to_string(next.fetch_add(1));
}

/// The walk tries a config.
bool is_walked(const LaunchRow& row) {
  return row.role == LaunchRole::warmup || row.role == LaunchRole::repeat;
}

/// Its rows say nothing once the region no longer launches it.
bool closed_early(const ProblemView& problem) {
  return problem.record != nullptr && problem.record->status == policy::ProblemStatus::provisional;
}

}  // namespace

Recorder::Recorder(const options::ResolvedOptions& options, std::string region)
    : options_(options),
      region_(std::move(region)),
      rank_(options.communicator->rank()),
      printer_(rank_ == 0 ? options.print : Print::nothing, region_, print_to_stderr,
               ::isatty(STDERR_FILENO) == 1) {
  report().region = region_;
  report().mode = options.mode;
  report().run_id = new_run_id();
  open_log();
  write(RunStart{.rank_count = options.communicator->size(),
                 .group = options.communicator->describe(),
                 .process_rank = options.communicator->process_rank(),
                 .time_iso8601 = utc_text(std::chrono::system_clock::now()),
                 .options = options.agreed_text(),
                 .restore = options.restore.empty() ? "" : options::names_of(options.restore)});
  warn_of_lone_rank();
}

/// Nobody has asked for the default directory: where it cannot be written, there is no log. Nor is there one
/// where the machine is short of something, which nobody can mend before the run.
void Recorder::open_log() {
  if (options_.log_directory.empty()) {
    return;
  }
  try {
    log_.emplace(options_.log_directory, options_.communicator->process_rank(), options_.write_budget);
    report().log_directory = log_->directory().string();
  } catch (const InvalidArgument& error) {
    if (options_.log_directory != options::default_log_directory) {
      throw;
    }
    detail::warn_once(error.what());
  } catch (const std::system_error& shortage) {
    detail::warn_once(shortage.what());
  }
}

/// Once a process.
void Recorder::warn_of_lone_rank() {
  static std::atomic<bool> warned{false};
  const auto launched = detail::launched_rank();
  const auto text = options::lone_rank_warning(options_, launched);
  if (text && !warned.exchange(true)) {
    warning(*text);
    if (options_.print < Print::choices && launched->rank == 0) {  // each lone rank is rank 0 of its tuner
      detail::warn_once(*text);
    }
  }
}

void Recorder::hello(const std::string& tuning_id, const Timer* timer) {
  Hello event;
  event.tuning_id = tuning_id;
  event.timer = timer == nullptr ? "none" : timer->name();
  event.timer_bias_ns = timer == nullptr ? std::nullopt : timer->bias_ns();
  report().timer = event.timer;
  report().timer_measures_devices = timer == nullptr || timer->measures_devices();
  report().timer_bias_ns = event.timer_bias_ns;
  write(event);
}

void Recorder::conditions(const detail::BatchPlan& plan, const detail::BatchResult& result) {
  for (const DeviceState& device : result.conditions.devices) {
    write(DeviceConditions{.phase = plan.phase(),
                           .tuning_iteration = plan.first_iteration,
                           .iteration_count = static_cast<std::int64_t>(plan.length()),
                           .device = device.device,
                           .sm_clock_mhz = device.sm_clock_mhz,
                           .memory_clock_mhz = device.memory_clock_mhz,
                           .temperature_celsius = device.temperature_celsius,
                           .power_watts = device.power_watts,
                           .slowed_by = device.slowed_by,
                           .disturbance = result.conditions.disturbance});
  }
  if (!result.conditions.disturbance.empty()) {
    warning("the times of tuning iterations " + std::to_string(plan.first_iteration) + " to " +
            std::to_string(plan.last_iteration()) +
            " do not count and are taken again: " + result.conditions.disturbance);
  }
}

void Recorder::write(EventBody body) {
  if (log_) {
    log_->write(event_of(std::move(body)));
  }
}

void Recorder::batch(const detail::BatchPlan& plan, const detail::BatchResult& result,
                     const std::vector<ProblemView>& problems, const detail::AgreedTimes& agreed) {
  time_.end_batch(plan.length());
  std::vector<Event> events;
  events.reserve(log_ ? plan.length() * problems.size() : 0);
  for (std::size_t i = 0; i < plan.length(); ++i) {
    builder_.begin_row(plan.phases[i], plan.first_iteration + static_cast<std::int64_t>(i));
    for (const ProblemView& problem : problems) {
      const std::size_t index = problem.slot->index;
      const bool known = index < result.cells.size();
      const bool planned = known && !problem.slot->batch.cells.empty();
      const bool launched = known && result.cells[index][i].launched;
      if (!planned && !launched) {
        continue;  // not seen yet
      }
      // Otherwise the log would grow with the square of the keys where each run has its own.
      const bool logged = log_ && (launched || !closed_early(problem));
      LaunchRow row = launched || logged
                          ? launch_event(plan, result, agreed, problem, i, options_.policy.n_warmup)
                          : LaunchRow();
      builder_.add_cell(*problem.slot, row, launched);
      if (launched && is_walked(row)) {
        time_.add_walked(index);
      }
      if (logged) {
        add_launch(events, std::move(row), problem);
      }
    }
  }
  if (log_) {
    log_->write(events);
  }
}

void Recorder::add_launch(std::vector<Event>& events, LaunchRow row, const ProblemView& problem) const {
  if (is_walked(row) && problem.record != nullptr &&
      row.step_iteration == problem.record->warmups + problem.record->repeats - 1) {
    const ConfigReport config = config_report(problem, static_cast<std::size_t>(row.config.id));
    if (config.time.count > 0) {
      row.centre_ns = config.time.centre_ns;
      events.push_back(event_of(ConfigSummary{
          row.config, static_cast<std::int64_t>(config.time.count), config.time.centre_ns,
          config.time.spread_ns, config.metrics.teraflops_per_second, config.metrics.gigabytes_per_second}));
    }
  }
  events.push_back(event_of(std::move(row)));
}

void Recorder::rejected(const ProblemSlot& slot, const policy::RejectionOutcome& rejection,
                        const detail::BatchPlan& plan) {
  write(Rejected{.config = config_use(slot, rejection.config_id),
                 .phase = plan.phase(),
                 .tuning_iteration = plan.first_iteration,
                 .reason = rejection.reason,
                 .ranks = {rejection.ranks.begin(), rejection.ranks.end()}});
}

void Recorder::choice(const ProblemView& problem) {
  ProblemReport report = problem_report(problem);
  report.walk_ns = time_.walk_ns(problem.slot->index);
  write(choice_event(report));
  printer_.chosen(*problem.slot);
}

void Recorder::kept(const std::vector<ProblemReport>& problems) {
  for (const ProblemReport& problem : problems) {
    write(choice_event(problem));
    printer_.note_kept();
  }
  report().problems = problems;
}

void Recorder::warning(const std::string& text) {
  said(text);
  printer_.warning(text);
}

void Recorder::said(const std::string& text) {
  write(Warning{text});
  report().warnings.push_back(text);
}

void Recorder::remark(const detail::CurrentLaunch& config, const std::string& text) {
  const std::string remark = "kernel \"" + config.kernel + "\" config-" + std::to_string(config.config_id) +
                             " " + config.config.to_string() + ": " + text;
  if (remarks_.insert(remark).second) {
    printer_.remark(remark);
    write(Warning{remark});
  }
}

void Recorder::loud_warning(const std::string& text) {
  warning(text);
  if (options_.print < Print::choices && rank_ == 0) {
    detail::warn_once(text);
  }
}

void Recorder::progress(const policy::TuningState& state, Phase phase, std::size_t open_problems) {
  Progress event;
  event.phase = phase;
  event.iterations_done = state.iterations();
  event.iterations_expected = state.iterations() + state.most_remaining_iterations();
  event.problem_count = static_cast<std::int64_t>(state.problem_count());
  event.elapsed_ns = time_.elapsed_ns();
  event.estimated_left_ns =
      estimate_left_ns(event.iterations_done, event.iterations_expected, event.elapsed_ns);
  write(event);
  printer_.progress(event);
  if (options_.progress) {
    options_.progress({.region = region_,
                       .phase = phase,
                       .iterations_done = event.iterations_done,
                       .iterations_expected = event.iterations_expected,
                       .open_problems = open_problems,
                       .elapsed = std::chrono::nanoseconds(event.elapsed_ns),
                       .estimated_left = std::chrono::nanoseconds(event.estimated_left_ns.value_or(0))});
  }
}

void Recorder::searches(const policy::TuningState& state, const std::vector<ProblemView>& problems) {
  for (; searches_written_ < state.searches().size(); ++searches_written_) {
    const SearchReport search = search_report(state.searches()[searches_written_]);
    write(search_event(search, state.infeasible(), problems));
    builder_.add_search(search);
  }
}

void Recorder::note_timelines(const detail::BatchPlan& plan, const detail::BatchResult& result,
                              const std::vector<ProblemView>& problems, const policy::BatchOutcome& outcome) {
  if (log_ || plan.phase() == Phase::search) {
    timelines_.note(plan, result, problems, outcome);
  }
}

void Recorder::timelines(const std::vector<ProblemView>& problems) {
  for (Timeline& event : timelines_.events(problems)) {
    write(std::move(event));
  }
}

void Recorder::limit(const LimitReport& limit, std::int64_t round_count) {
  report().limit = limit;
  write(limit_event(limit, round_count));
}

void Recorder::fails(const detail::BatchFailure& own, const detail::BatchPlan& plan, const Ending& ending) {
  for (const ProblemView& problem : ending.problems) {
    for (const detail::LocalRejection& rejection : problem.slot->launched.rejections) {
      rejected(*problem.slot,
               {.config_id = rejection.config_id, .reason = rejection.reason, .ranks = {rank_}}, plan);
    }
  }
  RunEnd event = end_event(own.thrown, rank_);
  event.error = own.cause;
  event.blamed_ranks = {rank_};
  if (own.of_launcher) {  // what the caller gets does not say it
    report().warnings.push_back(own.cause);
    printer_.warning(own.cause);
    if (options_.print < Print::choices || rank_ != 0) {
      detail::warn_once(own.cause);
    }
  }
  write_end(std::move(event), ending);
}

void Recorder::end(const std::exception_ptr& thrown, const Ending& ending) {
  std::optional<TuningFailedError> tuning_failed;
  try {
    if (thrown) {
      std::rethrow_exception(thrown);
    }
  } catch (const TuningFailedError& error) {
    tuning_failed = error;
  } catch (...) {  // only a tuning that failed has something to say of configs
  }
  builder_.end(ending.state, ending.problems, time_, timelines_, tuning_failed);
  if (!end_written_) {
    write_end(end_event(thrown, rank_), ending);
  }
  printer_.end(report(), options_.checks_results());
  if (tuning_failed) {
    printer_.failed(*tuning_failed);
  }
}

void Recorder::write_end(RunEnd event, const Ending& ending) {
  event.phase = ending.stage;
  event.tuning_iteration = ending.tuning_iteration;
  event.problem_count = static_cast<std::int64_t>(ending.problems.size());
  event.elapsed_ns = time_.elapsed_ns();
  if (ending.state != nullptr) {
    event.walk_iterations = ending.state->walk_iterations();
    event.search_iterations = ending.state->search_iterations();
    event.retakes = ending.state->retakes();
  }
  for (const ProblemView& problem : ending.problems) {
    if (problem.record != nullptr) {
      event.rejected_count += std::count_if(problem.record->configs.begin(), problem.record->configs.end(),
                                            [](const auto& config) { return config.rejection.has_value(); });
    }
  }
  write(std::move(event));
  end_written_ = true;
}

}  // namespace contextual::record

#include "contextual/tuning/region_tuner.hpp"

#include "contextual/launch/thread_state_scope.hpp"
#include "contextual/record/log_lines.hpp"
#include "contextual/record/printer.hpp"
#include "contextual/storage/unwritten.hpp"
#include "contextual/tuning/journal_text.hpp"
#include "contextual/tuning/kept_choices_of_run.hpp"
#include "contextual/tuning/paired_timing.hpp"
#include "contextual/tuning/pins.hpp"
#include "contextual/tuning/region_pass.hpp"
#include "contextual/tuning/revalidation.hpp"
#include "contextual/tuning/tuning_run.hpp"

#include <contextual/communicator.hpp>
#include <contextual/detail/sync/ongoing_run.hpp>
#include <contextual/error.hpp>
#include <contextual/launch_registry.hpp>

#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace contextual::tuning {

using options::ResolvedOptions;

namespace {

class ActiveRun {
 public:
  ActiveRun() { LaunchRegistry::instance().begin_run(); }
  ActiveRun(const ActiveRun&) = delete;
  ActiveRun& operator=(const ActiveRun&) = delete;
  ~ActiveRun() { LaunchRegistry::instance().end_run(); }
};

/// What follows a tuning run, with everything locked in: the times of the parts, and a comparison of kept
/// choices with the defaults. Collective.
AfterRevalidation time_in_turn(const RegionCall& call, TuningRun& run, record::Recorder& recorder,
                               const std::optional<RegionReport>& to_revalidate) {
  const ResolvedOptions& options = call.options;
  PairedTiming turns = run.paired_timing();
  if (!options.parts.empty()) {
    recorder.limit(time_parts(options, turns, call.region, call.function), rounds_of_turns(options));
    if (options.copies && !to_revalidate) {
      turns.run_once(call.function);  // so that what the call leaves is what one run of the region leaves
    }
  }
  return to_revalidate ? compare_with_defaults(call, run, turns, recorder) : AfterRevalidation::choices_stay;
}

/// Returns false if the choices could not be written, which the log says then.
bool write_choices(const TuningRun& run, record::Recorder& recorder, const RegionCall& call,
                   const std::vector<detail::Machine>& machines, const KnownRegion& known) {
  const std::filesystem::path& directory = call.options.cache_directory;
  if (machines.empty() || call.options.communicator->rank() != 0 || directory.empty() ||
      !run.outputs_repeat()) {
    return true;
  }
  const std::string problem = write_kept_choices(call.options, call.region, run, machines, known.refused);
  if (problem.empty()) {
    return true;
  }
  const std::string warning = storage::unwritten_warning(directory, "the choices are not kept", problem);
  if (!warning.empty()) {
    recorder.loud_warning(warning);
  }
  return false;
}

}  // namespace

ResolvedOptions RegionTuner::resolve(const Options& call) const {
  return options::resolve(call, options_, options::environment());
}

std::uint32_t RegionTuner::region_id(const std::string& region, const ResolvedOptions& options) const {
  const std::shared_ptr<Communicator>& group = options.communicator;
  const std::shared_ptr<Communicator> own = group->size() == 1 ? group : resolve({}).communicator;
  return LaunchRegistry::instance().region_id(scope_of_group(group, own.get()), region, group->size());
}

std::uint64_t RegionTuner::unused_options_in(std::uint32_t region_id) const {
  if (bits_of_options_ == 0) {
    return 0;
  }
  const std::lock_guard lock(mutex_);
  return own_regions_.contains(region_id) ? 0 : bits_of_options_;
}

bool RegionTuner::run(const std::string& region, const std::function<void()>& function,
                      const ResolvedOptions& options, const Occasion& occasion) {
  if (region.empty()) {
    throw InvalidArgument(
        "`run` got an empty region name: give the region a name, which identifies its choices");
  }
  const detail::OngoingRun ongoing({options.deadline, options.grace});
  const RegionCall call{region, region_id(region, options), function, options, occasion};
  {
    const std::lock_guard lock(mutex_);
    own_regions_.insert(call.region_id);
  }
  {
    const RunLock::Holder lock(run_lock_, region, options.deadline);
    if (options.communicator->size() == 1) {
      LaunchRegistry::instance().forget_failed_choices(call.region_id);
    }
    if (options.mode == Mode::tune) {
      return tune(call);
    }
    region_start_.begin_untuned(call);
    warn_if_off(call);
  }
  options::validate(options);
  run_once(call);
  return true;
}

/// Once for each region.
void RegionTuner::warn_if_off(const RegionCall& call) {
  const ResolvedOptions& options = call.options;
  if (options.mode == Mode::off && options.print >= Print::choices && options.communicator->rank() == 0 &&
      said_off_.insert(call.region).second) {
    record::print_to_stderr("[contextual] " + record::one_line(call.region) +
                            ": mode off: nothing is tuned, and what is not pinned launches its default");
  }
}

bool RegionTuner::load(const std::string& region, const ResolvedOptions& options) {
  const detail::OngoingRun ongoing({options.deadline, options.grace});
  const RunLock::Holder lock(run_lock_, region, options.deadline);
  return region_start_.load({region, region_id(region, options), {}, options, {}});
}

bool RegionTuner::tune(const RegionCall& call) {
  Start start = region_start_.begin(call);
  if (!start.setup) {
    return true;
  }
  const AfterRun after = execute(call, start);
  if (after.revalidation != AfterRevalidation::tune_again) {
    return after.all_tracked;
  }
  ResolvedOptions again = call.options;
  again.always_tune = true;
  again.revalidate = Revalidate::no;
  const RegionCall anew{call.region, call.region_id, call.function, again, call.occasion};
  Start another = region_start_.begin(anew, std::move(start.sets));
  another.compared = after.compared;
  return execute(anew, another).all_tracked;
}

RegionTuner::AfterRun RegionTuner::execute(const RegionCall& call, const Start& start) {
  record::Recorder& recorder = start.setup->recorder();
  std::unique_ptr<TuningRun> run = start.setup->take_run();
  const std::optional<RegionReport>& to_revalidate = start.to_revalidate;
  if (to_revalidate) {
    run->continuation().first_batch_runs(journal_text(*to_revalidate));
  }
  const ActiveRun active;
  auto after = AfterRevalidation::choices_stay;
  bool written = true;
  std::exception_ptr thrown;
  try {
    run->execute(call.function);
    if (to_revalidate || !call.options.parts.empty()) {
      after = time_in_turn(call, *run, recorder, to_revalidate);
    }
    written = write_choices(*run, recorder, call, start.hello.machines,
                            groups_.of(call.options).regions[call.region]);
    for (const std::string& unused : take_unused_pin_warnings(call.region_id, call.options)) {
      recorder.loud_warning(unused);
    }
  } catch (...) {
    thrown = std::current_exception();
  }
  run->end_journal(thrown, written);
  recorder.end(thrown, run->ending());
  recorder.report().outputs_repeat = run->outputs_repeat();
  if (to_revalidate) {
    describe_kept(*to_revalidate, after, recorder.report());
  }
  std::optional<RevalidationReport>& compared = recorder.report().revalidation;
  compared = start.compared ? start.compared : compared;
  const AfterRun ended{run->context().untracked_launches() == 0, after, compared};
  reports_.add(std::move(recorder.report()));
  KnownRegion& known = groups_.of(call.options).regions[call.region];
  if (!thrown && run->nothing_left()) {
    known.note_locked_in(call.region_id, call.options.policy.search);
  } else {
    known.forget_locked_in();
  }
  if (run->context().has_live_guards()) {
    abandon(std::move(run));
  }
  if (thrown) {
    std::rethrow_exception(thrown);
  }
  return ended;
}

void RegionTuner::run_once(const RegionCall& call) {
  const ResolvedOptions& options = call.options;
  const detail::ThreadState state = detail::state_in_region(call.region_id, options.mode == Mode::off);
  const IterationInfo info{call.region, Phase::final_run, 0};
  if (options.before_iteration) {
    options.before_iteration(info);
  }
  {
    const detail::ThreadStateScope scope(state);
    call.function();
  }
  if (options.after_iteration) {
    options.after_iteration(info);
  }
  reports_.note_unlogged(call.region, options.mode, take_unused_pin_warnings(call.region_id, options));
}

}  // namespace contextual::tuning

#include "contextual/tuning/paired_timing.hpp"

#include "contextual/launch/thread_state_scope.hpp"
#include "contextual/launch/use_pass.hpp"
#include "contextual/record/failure.hpp"
#include "contextual/tuning/abandoned.hpp"
#include "contextual/tuning/batch_runner.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace contextual::tuning {

PairedTiming::PairedTiming(const options::ResolvedOptions& options, detail::RunContext& context,
                           const Watchdog::Watch& watch, agreement::Exchange& exchange,
                           std::chrono::nanoseconds head_start,
                           std::function<void(const std::exception_ptr&)> failing)
    : options_(options),
      context_(context),
      watch_(watch),
      exchange_(exchange),
      head_start_(head_start),
      failing_(std::move(failing)) {}

std::optional<std::int64_t> PairedTiming::turn(const std::function<void()>& call, TurnUses uses,
                                               std::size_t runs) {
  agreement::PartOutcome outcome;
  outcome.turn = turns_++;
  outcome.times_count = options_.times_count;
  try {
    outcome.makespan_ns = timed(call, uses, runs);
    outcome.no_head_start = context_.timer().wanted_head_start() == Timer::no_head_start;
  } catch (...) {
    outcome.failure = {std::current_exception(), record::text_of(std::current_exception()),
                       context_.tuning_iteration};
    failing_(outcome.failure.thrown);
  }
  try {
    const agreement::AgreedPart agreed = agreement::agree_on_part(exchange_, context_.region(), outcome);
    head_start_ = agreed.no_head_start ? std::chrono::nanoseconds(0) : head_start_;
    return agreed.makespan_ns;
  } catch (...) {
    if (outcome.failure.thrown) {  // it takes precedence over the error that kept it from the others
      std::rethrow_exception(outcome.failure.thrown);
    }
    throw;
  }
}

std::optional<std::int64_t> PairedTiming::timed(const std::function<void()>& call, TurnUses uses,
                                                std::size_t runs) {
  if (turns_ > 1) {  // the exchange of the turn before it was a meeting
    context_.timer().begin_batch({std::chrono::steady_clock::now(), head_start_});
  }
  std::vector<IterationTiming> timings(runs);
  for (IterationTiming& timing : timings) {
    timing = run(call, uses);
  }
  const Watchdog::Section section(watch_, {Activity::settle, Phase::final_run, context_.tuning_iteration});
  context_.timer().settle({}, timings, Deadline::after(options_.deadline));
  const bool disturbed = !context_.timer().conditions().disturbance.empty();
  const std::int64_t makespan_ns = timings.back().makespan_ns;
  return makespan_ns > 0 && !disturbed ? std::optional(makespan_ns) : std::nullopt;
}

/// The timer tells runs apart by their numbers, so these follow those of the tuning iterations.
IterationTiming PairedTiming::run(const std::function<void()>& call, TurnUses uses) {
  const detail::ThreadStateScope hooks({.region = context_.region_id(), .in_hook = true});
  IterationTiming timing;
  timing.tuning_iteration = context_.tuning_iteration + ++runs_;
  const IterationInfo info{context_.region(), Phase::final_run, timing.tuning_iteration};
  const auto place = [&](Activity activity) {
    return Watchdog::Place{activity, Phase::final_run, context_.tuning_iteration};
  };
  if (options_.before_iteration) {
    const Watchdog::Section section(watch_, place(Activity::before_iteration));
    options_.before_iteration(info);
  }
  {
    const Watchdog::Section section(watch_, place(Activity::region));
    context_.timer().begin_iteration(timing.tuning_iteration, timing.note);
    launch(call, uses);
    context_.timer().end_iteration(timing.tuning_iteration, timing.note);
  }
  if (options_.after_iteration) {
    const Watchdog::Section section(watch_, place(Activity::after_iteration));
    options_.after_iteration(info);
  }
  return timing;
}

/// A `run` inside is part of it, as in a wrapped region's later call.
void PairedTiming::launch(const std::function<void()>& call, TurnUses uses) {
  auto pass = std::make_unique<detail::UsePass>(detail::UsePass::Failures::are_the_callers,
                                                detail::namesakes_in(options_.communicator->process_scope()),
                                                detail::UsePass::New::is_noted);
  {
    detail::ThreadState state = detail::state_in_region(context_.region_id(), uses == TurnUses::defaults);
    state.use = pass.get();
    const detail::ThreadStateScope scope(state);
    try {
      call();
    } catch (...) {
      if (pass->has_live_guards()) {
        abandon(std::move(pass));
      }
      throw;
    }
  }
  if (pass->has_live_guards()) {
    abandon(std::move(pass));
    throw_outlived_guard(context_.region());
  }
}

}  // namespace contextual::tuning

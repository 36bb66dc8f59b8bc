#include "contextual/tuning/paired_timing.hpp"

#include "contextual/launch/exception_text.hpp"
#include "contextual/tuning/region_pass.hpp"

#include <algorithm>
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
  try {
    outcome.makespan_ns = timed(call, uses, runs);
    outcome.no_head_start = context_.timer().wanted_head_start() == Timer::no_head_start;
  } catch (...) {
    outcome.failure = {std::current_exception(), detail::exception_text(std::current_exception()),
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
  IterationTiming timing;
  timing.tuning_iteration = context_.tuning_iteration + ++runs_;
  const IterationInfo info{context_.region(), Phase::final_run, timing.tuning_iteration};
  run_between_hooks(Begins::with_restored_state, options_, watch_, context_.region_id(), info,
                    context_.tuning_iteration, [&] {
                      context_.timer().begin_iteration(timing.tuning_iteration, timing.note);
                      const detail::ThreadState state =
                          detail::state_in_region(context_.region_id(), uses == TurnUses::defaults);
                      const RegionPass pass = run_locked_in(call, context_.region(), state,
                                                            FailedChoice::is_the_callers, options_);
                      if (pass.thrown) {
                        std::rethrow_exception(pass.thrown);
                      }
                      context_.timer().end_iteration(timing.tuning_iteration, timing.note);
                      return RegionCame::to_its_end;
                    });
  return timing;
}

namespace {

constexpr int least_rounds = 5;

}  // namespace

int rounds_of_turns(const options::ResolvedOptions& options) {
  return std::max(least_rounds, options.policy.closing_rounds);
}

LimitReport time_parts(const options::ResolvedOptions& options, PairedTiming& turns, const std::string& name,
                       const std::function<void()>& region) {
  record::PartSamples result{name, {}};
  std::vector<record::PartSamples> parts;
  for (const RegionPart& part : options.parts) {
    parts.push_back({part.name, {}});
  }
  const std::size_t count = parts.size() + 1;
  for (int round = 0; round < rounds_of_turns(options); ++round) {
    for (std::size_t place = 0; place < count; ++place) {
      const std::size_t i = round % 2 == 0 ? place : count - 1 - place;
      const bool whole = i == parts.size();
      const std::optional<std::int64_t> makespan_ns =
          turns.turn(whole ? region : options.parts[i].call, TurnUses::what_is_locked_in);
      if (makespan_ns) {
        (whole ? result : parts[i]).makespans_ns.push_back(*makespan_ns);
      }
    }
  }
  return record::limit_of(result, parts);
}

}  // namespace contextual::tuning

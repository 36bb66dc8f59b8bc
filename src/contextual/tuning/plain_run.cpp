#include "contextual/tuning/plain_run.hpp"

#include "contextual/agreement/region_agreement.hpp"
#include "contextual/launch/exception_text.hpp"
#include "contextual/tuning/blocked_rank.hpp"
#include "contextual/tuning/region_pass.hpp"

#include <contextual/communicator.hpp>
#include <contextual/detail/storage/warning.hpp>
#include <contextual/error.hpp>

#include <exception>

namespace contextual::tuning {
namespace {

/// Where there is no memory for them, the region runs all the same: who has nothing to tune needs none.
void take_copies(const RegionCall& call) {
  try {
    call.options.copies->find_room(call.options.communicator->rank());
  } catch (const DeviceError&) {
    throw;
  } catch (const Error& error) {
    detail::warn_once("region \"" + call.region +
                      "\" runs without copies, which only tuning would need: " + error.what());
    return;
  }
  call.options.copies->take();
}

}  // namespace

bool run_plainly(const RegionCall& call, const RunReports& reports, agreement::Exchange& exchange,
                 Watchdog& watchdog) {
  const Watchdog::Watch watch =
      watch_of_call(watchdog, call.options, call.region, reports, AfterGrace::leave);
  agreement::PlainOutcome outcome;
  try {
    if (call.options.copies) {  // if it finds something new, the region is tuned from where it was
      const Watchdog::Section section(watch, {Activity::before_iteration, Phase::final_run, 0});
      take_copies(call);
    }
    run_between_hooks(Begins::with_what_is_there, call.options, watch, call.region_id,
                      {call.region, Phase::final_run, 0}, 0, [&] {
                        const RegionPass pass =
                            run_locked_in(call.function, call.region, {.region = call.region_id},
                                          FailedChoice::is_noted, call.options);
                        if (pass.thrown && !pass.refused) {
                          std::rethrow_exception(pass.thrown);
                        }
                        outcome.something_new = pass.something_new;
                        return pass.refused ? RegionCame::not_to_its_end : RegionCame::to_its_end;
                      });
  } catch (...) {
    outcome.failure = {std::current_exception(), detail::exception_text(std::current_exception()), 0};
  }
  try {
    return !agreement::agree_on_plain_run(exchange, call.region, outcome);
  } catch (...) {
    if (outcome.failure.thrown) {  // it takes precedence over the error that kept it from the others
      std::rethrow_exception(outcome.failure.thrown);
    }
    throw;
  }
}

}  // namespace contextual::tuning

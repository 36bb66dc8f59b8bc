#include "contextual/tuning/tuning_setup.hpp"

#include "contextual/tuning/kept_choices.hpp"
#include "contextual/tuning/time_collector.hpp"

#include <contextual/detail/config/hex_text.hpp>
#include <contextual/detail/config/stable_hash.hpp>
#include <contextual/detail/storage/machine.hpp>
#include <contextual/error.hpp>
#include <contextual/launch_registry.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace contextual::tuning {
namespace {

void check_single_library() {
  const auto copies = LaunchRegistry::instance().other_copies();
  if (!copies.empty()) {
    throw Error(
        "this process has a second copy of the contextual library, in " + copies.front() +
        ": kernels linked to it cannot be tuned from here. Link the application and its plugins to one "
        "shared library");
  }
}

}  // namespace

TuningSetup::TuningSetup(const RegionCall& call, agreement::Exchange& exchange, const Watchdog::Watch& watch)
    : call_(call), exchange_(exchange) {
  const options::ResolvedOptions& options = call.options;
  try {
    options::validate(options);
    check_single_library();
    recorder_.emplace(options, call.region);
    run_ = std::make_unique<TuningRun>(options, call.region, call.region_id, call.occasion.origin, exchange,
                                       watch, *recorder_);
    if (exchange.rank() == 0 && !options.cache_directory.empty() && options.journal != Journal::off) {
      journal_ = open_journal(options, call.region, run_->timer().name(), exchange.size());
    }
  } catch (...) {
    failure_ = std::current_exception();
  }
}

agreement::Arrival TuningSetup::arrival() const {
  return {.timer = run_ ? run_->timer().name() : std::string_view(),
          .substitute = run_ ? run_->timer().substitute_name() : std::string_view(),
          .setup_failure = failure_,
          .keeps_choices = exchange_.rank() == 0 && call_.options.has_kept_choices(),
          .keeps_journal = journal_.kept(),
          .journal = journal_.told,
          .copies_buffers = run_ && run_->copies_buffers()};
}

/// Goes on with what an earlier process has measured, as rank 0 has told it to all.
void TuningSetup::begin(const agreement::Hello& hello, const std::vector<std::string>& sets) {
  if (!hello.timer.empty()) {
    journal_.file.reset();  // it belongs to a run by another timer
    if (run_->timer().name() != hello.timer) {
      run_->give_way();
    }
  }
  recorder_->hello(hello.tuning_id, &run_->timer());
  run_->note_copies(hello.copies_buffers);
  detail::StableHash heading;
  heading.add(std::string_view(call_.options.agreed_text())).add(std::string_view(hello.timer));
  for (std::size_t rank = 0; rank < hello.machines.size(); ++rank) {
    heading.add(detail::machine_digest(hello.machines[rank])).add(std::string_view(hello.kernels[rank]));
  }
  run_->start_also_from(starting_points_of(
      run_->continuation().begin(hello, detail::hex_text(heading.value()), sets, std::move(journal_.file))));
}

/// Every other rank is missing, and this one is not.
bool TuningSetup::came_alone(const std::vector<int>& missing) const {
  return !call_.occasion.new_launch.empty() &&
         std::find(missing.begin(), missing.end(), exchange_.rank()) == missing.end() &&
         missing.size() + 1 == static_cast<std::size_t>(exchange_.size());
}

void TuningSetup::rethrow(const agreement::Hello& hello) {
  std::exception_ptr thrown = std::current_exception();
  if (recorder_) {
    try {
      throw;
    } catch (const CommunicationError& error) {
      if (hello.tuning_id.empty() && came_alone(error.missing_ranks())) {
        thrown = std::make_exception_ptr(CommunicationError(
            "region \"" + call_.region + "\": in a later call of this wrapped region, rank " +
                std::to_string(exchange_.rank()) + " launched " + call_.occasion.new_launch +
                " for the first time and began to tune it. No other rank came to do so: this rank alone met "
                "the key, unless the others have stopped. Make the key of what is equal on all ranks, or let "
                "the kernel take part on `some` ranks. What was tried: " +
                error.what(),
            error.missing_ranks()));
        recorder_->fails(failure_of(thrown), {}, {});
      }
    } catch (...) {  // it says enough
    }
    recorder_->end(thrown, {});
  }
  std::rethrow_exception(thrown);
}

}  // namespace contextual::tuning

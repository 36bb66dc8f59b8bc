#include "contextual/tuning/tuning_setup.hpp"

#include "contextual/storage/file_size_signal.hpp"
#include "contextual/tuning/kept_choices.hpp"
#include "contextual/tuning/meeting.hpp"

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

/// As far as this rank's options say.
bool keeps_journal(const options::ResolvedOptions& options) {
  return !options.cache_directory.empty() && options.journal != Journal::off;
}

/// Every other rank is missing, and this one is not.
bool names_all_others(const std::vector<int>& missing, const agreement::Exchange& exchange) {
  return std::find(missing.begin(), missing.end(), exchange.rank()) == missing.end() &&
         missing.size() + 1 == static_cast<std::size_t>(exchange.size());
}

}  // namespace

TuningSetup::TuningSetup(const std::string& region, std::uint32_t region_id,
                         const options::ResolvedOptions& options, const Occasion& occasion,
                         agreement::Exchange& exchange, Watchdog& watchdog)
    : region_(region), region_id_(region_id), occasion_(occasion), options_(options), exchange_(exchange) {
  try {
    options::validate(options);
    check_single_library();
    recorder_.emplace(options, region);
    run_ = std::make_unique<TuningRun>(options, region, region_id, occasion.origin, exchange, watchdog,
                                       *recorder_);
    if (exchange.rank() == 0 && keeps_journal(options)) {
      journal_ = std::make_unique<RunJournal>(options, region, run_->timer().name(), exchange.size());
    }
  } catch (...) {
    failure_ = std::current_exception();
  }
}

const agreement::Hello& TuningSetup::meet() {
  try {
    say_hello();
    return hello_;
  } catch (...) {
    if (recorder_) {
      recorder_->end(std::current_exception(), {});
    }
    throw;
  }
}

agreement::Hello TuningSetup::say_hello_once() {
  agreement::Arrival arrival{.timer = run_ ? run_->timer().name() : std::string_view(),
                             .setup_failure = failure_,
                             .keeps_choices = exchange_.rank() == 0 && options_.has_kept_choices()};
  if (journal_) {
    arrival.journal = journal_->told();
    arrival.resumes = journal_->tells_more();
  } else if (exchange_.rank() != 0 && run_ && keeps_journal(options_)) {
    arrival.journal = RunJournal::told_if_new(options_, region_, run_->timer().name(), exchange_.size());
  }
  return tuning::meet(exchange_, region_, region_id_, options_, std::move(arrival));
}

/// With what an earlier process has measured, as rank 0 has told it to all.
void TuningSetup::go_on() {
  if (hello_.journal.empty()) {
    run_->start_also_from(starting_points_of(starts_));
    return;
  }
  const std::string heading =
      to_line(journal::Heading{region_, options_.agreed_text(), hello_.machines, hello_.kernels, starts_});
  if (journal_) {
    journal_->begin(heading);
  }
  Resumption resumption(hello_.journal, heading);
  run_->start_also_from(starting_points_of(journal::starts_of(resumption.heading())));
  std::unique_ptr<journal::FlightRecorder> flight;
  if (!resumption.name().empty() && keeps_journal(options_)) {
    const detail::TrustedFolder folder = journal_folder(options_.cache_directory, region_);
    const storage::FileSizeSignalBlock blocked;  // the recorder's file gets its whole size at once
    flight =
        std::make_unique<journal::FlightRecorder>(folder, flight_file(resumption.name(), exchange_.rank()));
  }
  run_->continuation().begin(std::move(resumption), std::move(journal_), std::move(flight));
}

void TuningSetup::say_hello() {
  try {
    hello_ = say_hello_once();
    if (!hello_.kept_choices.empty()) {
      return;
    }
    if (hello_.settled_somewhere) {
      hello_ = say_hello_once();  // those have set up their runs by now
    }
    recorder_->hello(hello_.tuning_id, &run_->timer());
    go_on();
  } catch (const CommunicationError& error) {
    const bool met_nobody = names_all_others(error.missing_ranks(), exchange_);
    if (occasion_.new_launch.empty() || !recorder_ || !met_nobody) {
      throw;
    }
    try {
      throw_alone(error);
    } catch (...) {
      recorder_->fails(std::current_exception(), {}, {});
      throw;
    }
  }
}

void TuningSetup::throw_alone(const CommunicationError& error) const {
  throw CommunicationError(
      "region \"" + region_ + "\": in a later call of this wrapped region, rank " +
          std::to_string(exchange_.rank()) + " launched " + occasion_.new_launch +
          " for the first time and began to tune it. No other rank came to do so: this rank alone met the "
          "key, unless the others have stopped. Make the key of what is equal on all ranks, or let the "
          "kernel take part on `some` ranks. What was tried: " +
          error.what(),
      error.missing_ranks());
}

}  // namespace contextual::tuning

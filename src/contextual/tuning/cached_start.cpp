#include "contextual/tuning/cached_start.hpp"

#include "contextual/tuning/blocked_rank.hpp"
#include "contextual/tuning/kept_choices_reading.hpp"
#include "contextual/tuning/made_ready.hpp"
#include "contextual/tuning/meeting.hpp"
#include "contextual/tuning/pins.hpp"
#include "contextual/tuning/plain_run.hpp"

#include <contextual/detail/storage/warning.hpp>
#include <contextual/error.hpp>

#include <chrono>
#include <cstddef>
#include <utility>

namespace contextual::tuning {

using options::ResolvedOptions;

namespace {

/// Null where no log can be written: the ranks have agreed to go on.
record::Recorder* own_recorder(std::optional<record::Recorder>& recorder, const ResolvedOptions& options,
                               const std::string& region) {
  try {
    return &recorder.emplace(options, region);
  } catch (const InvalidArgument& error) {
    detail::warn_once(error.what());
    return nullptr;
  }
}

}  // namespace

bool CachedStart::run_first(const RegionCall& call, TakenOver& taken_over) {
  const ResolvedOptions& options = call.options;
  agreement::Exchange& exchange = groups_.exchange_for(options);
  if (exchange.rank() != 0 || !options.has_kept_choices()) {
    return false;  // learns of them in its hello
  }
  std::string kept =
      read_kept_choices(options, call.region, options.always_tune ? Reads::pins : Reads::pins_and_choices);
  if (kept.empty()) {
    return false;
  }
  const agreement::Hello hello = tuning::meet(exchange, call.region, call.region_id, options,
                                              {.setup_failure = options::failure_of(options),
                                               .settled = true,
                                               .keeps_choices = true,
                                               .kept_choices = std::move(kept)});
  return run(call, hello, nullptr, taken_over);
}

bool CachedStart::run(const RegionCall& call, const agreement::Hello& hello, record::Recorder* recorder,
                      TakenOver& taken_over) {
  const ResolvedOptions& options = call.options;
  Installed installed = install(call.region, call.region_id, options, hello);
  note_looked(call.region, options);  // what could not be installed is looked at again
  taken_over.starts = std::move(installed.unusable);
  if (!installed.choices || options.always_tune) {
    return false;
  }
  RegionReport& kept = installed.choices->report;
  if (options.revalidate != Revalidate::no && installed.choices->more_than_pins) {
    taken_over.to_revalidate = std::move(kept);
    return false;
  }
  PlainRun plain(options, call.region, call.region_id, reports_, groups_.exchange_for(options), watchdog_);
  if (plain.execute(call.function)) {
    return false;
  }
  groups_.note_met(options, hello);
  groups_.note_settled(call.region, call.region_id, options);
  kept.warnings = take_unused_pin_warnings(call.region_id, options);
  report(std::move(kept), options, hello.tuning_id, recorder);
  return true;
}

/// Prints the choices and logs them, in mode off without a log.
void CachedStart::report(RegionReport&& kept, const ResolvedOptions& options, const std::string& tuning_id,
                         record::Recorder* recorder) {
  ResolvedOptions own_options = options;
  if (options.mode == Mode::off) {
    own_options.log_directory.clear();
  }
  std::optional<record::Recorder> own;
  if (recorder == nullptr) {
    recorder = own_recorder(own, own_options, kept.region);
  }
  kept.mode = options.mode;
  if (recorder != nullptr) {
    recorder->hello(tuning_id, nullptr);
    recorder->kept(kept.problems);
    recorder->warnings(kept.warnings);
    recorder->end(nullptr, {});
    kept.run_id = recorder->report().run_id;
    kept.log_directory = recorder->report().log_directory;
  }
  reports_.add(std::move(kept));
}

CachedStart::Installed CachedStart::install(const std::string& region, std::uint32_t region_id,
                                            const ResolvedOptions& options, const agreement::Hello& hello) {
  MadeReady made_ready;
  const Watchdog::Watch watch =
      watch_of_call(watchdog_, options, region, reports_, AfterGrace::leave, &made_ready);
  agreement::Exchange& exchange = groups_.exchange_for(options);
  KeptSets sets;
  {
    const Watchdog::Section section(watch, {Activity::prepare, Phase::final_run, 0});
    const bool versions_count = options::environment().values.version_check.value_or(true);
    sets = look_at_kept_choices(region, region_id, static_cast<std::size_t>(exchange.rank()), hello,
                                versions_count, made_ready);
  }
  Installed installed{install_kept_choices(exchange, region, region_id, sets)};
  installed.unusable = unusable_sets(sets);
  installed.tuning_id = hello.tuning_id;
  return installed;
}

/// The ranks meet, and install what there is.
CachedStart::Installed CachedStart::look(const std::string& region, std::uint32_t region_id,
                                         const ResolvedOptions& options) {
  agreement::Exchange& exchange = groups_.exchange_for(options);
  agreement::Arrival arrival{.setup_failure = options::failure_of(options)};
  if (exchange.rank() == 0 && options.has_kept_choices()) {
    arrival.keeps_choices = true;
    arrival.kept_choices =
        read_kept_choices(options, region, options.mode == Mode::off ? Reads::pins : Reads::pins_and_choices);
  }
  const agreement::Hello hello = tuning::meet(exchange, region, region_id, options, std::move(arrival));
  groups_.note_met(options, hello);
  return hello.kept_choices.empty() ? Installed{} : install(region, region_id, options, hello);
}

/// For what the mode and the options let the ranks use.
void CachedStart::note_looked(const std::string& region, const ResolvedOptions& options) {
  if (options.mode == Mode::off || (options.mode == Mode::tune && options.always_tune)) {
    groups_.note_looked_for_pins(region, options);
  } else {
    groups_.note_looked(region, options);
  }
}

void CachedStart::meet(const std::string& region, std::uint32_t region_id, const ResolvedOptions& options) {
  Installed installed = look(region, region_id, options);
  note_looked(region, options);  // what could not be installed is looked at again
  if (installed.choices) {
    report(std::move(installed.choices->report), options, installed.tuning_id, nullptr);
  }
}

bool CachedStart::load(const std::string& region, std::uint32_t region_id, const ResolvedOptions& options) {
  Installed installed = look(region, region_id, options);
  if (!installed.choices) {
    return false;
  }
  groups_.note_looked(region, options);
  groups_.note_settled(region, region_id, options);
  if (installed.choices->more_than_pins) {
    loaded_[{options.communicator.get(), region}] = installed.choices->report;
  }
  report(std::move(installed.choices->report), options, installed.tuning_id, nullptr);
  return true;
}

std::optional<RegionReport> CachedStart::take_loaded(const std::string& region,
                                                     const ResolvedOptions& options) {
  auto node = loaded_.extract({options.communicator.get(), region});
  return node.empty() ? std::nullopt : std::optional(std::move(node.mapped()));
}

}  // namespace contextual::tuning

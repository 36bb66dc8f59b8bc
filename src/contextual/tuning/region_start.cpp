#include "contextual/tuning/region_start.hpp"

#include "contextual/launch/made_ready.hpp"
#include "contextual/tuning/blocked_rank.hpp"
#include "contextual/tuning/pins.hpp"
#include "contextual/tuning/plain_run.hpp"

#include <contextual/detail/storage/warning.hpp>
#include <contextual/error.hpp>
#include <contextual/launch_registry.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace contextual::tuning {

using agreement::Arrival;
using agreement::Hello;
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

/// What the mode and the options let the ranks use, see KnownRegion::looked. Where nothing is tuned, choices
/// of any search will do.
int looks_for(const ResolvedOptions& options) {
  const bool pins_only = options.mode == Mode::off || (options.mode == Mode::tune && options.always_tune);
  return pins_only ? KnownRegion::for_pins
                   : KnownRegion::for_choices(options.mode == Mode::tune ? options.policy.search
                                                                         : SearchLevel::off);
}

/// But for sets that a higher search goes on from, and those of which this process has chosen something
/// itself.
void note_refused(const KeptSets& sets, KnownRegion& region) {
  for (std::size_t i = 0; i < std::min(region.told.size(), sets.unusable.size()); ++i) {
    if (!sets.outcome.usable[i] && !sets.unusable[i].open) {
      region.refused.insert(region.told[i]);
    }
  }
}

}  // namespace

KnownRegion& RegionStart::known(const RegionCall& call) {
  return groups_.of(call.options).regions[call.region];
}

Start RegionStart::begin(const RegionCall& call, std::vector<std::string> sets) {
  Start start;
  start.sets = std::move(sets);
  try {
    Arrival arrival = arrival_of(call, start);
    for (;;) {
      if (!arrival.locked_in && !start.setup) {
        const Watchdog::Watch watch =
            watch_of_call(watchdog_, call.options, call.region, reports_, AfterGrace::leave);
        start.setup = std::make_unique<TuningSetup>(call, groups_.exchange_for(call.options), watch);
      }
      const bool locked_in = arrival.locked_in;
      start.hello = meet(call, locked_in ? std::move(arrival) : start.setup->arrival());
      if (!start.hello.kept_choices.empty()) {
        if (runs_with_kept(call, start)) {
          return {};
        }
      } else if (start.hello.locked_in_everywhere) {
        if (runs_plainly(call)) {
          reports_.note_unlogged(call.region, call.options.mode,
                                 take_unused_pin_warnings(call.region_id, call.options));
          return {};
        }
      } else if (!start.hello.locked_in_somewhere) {
        groups_.of(call.options).note_met(start.hello);
        start.setup->begin(start.hello, start.sets);
        return start;
      }
      if (locked_in) {
        known(call).forget_locked_in();
      }
      arrival = {};  // to tune, which the others have to know
    }
  } catch (...) {
    if (start.setup) {
      start.setup->rethrow(start.hello);
    }
    throw;
  }
}

/// What this rank knows by itself. Rank 0 tells what it has kept the first time that this tuner runs the
/// region; the others learn of that when they meet.
Arrival RegionStart::arrival_of(const RegionCall& call, Start& start) {
  const ResolvedOptions& options = call.options;
  KnownRegion& region = known(call);
  std::optional<RegionReport> loaded = std::exchange(region.loaded, std::nullopt);
  Arrival arrival{.setup_failure = options::failure_of(options)};
  if (call.occasion.origin != Origin::run) {
    return arrival;
  }
  const auto& knows = call.occasion.knows;
  arrival.locked_in =
      !options.always_tune &&
      (knows ? knows(call.region_id) : region.locked_in(call.region_id, options.policy.search));
  if (loaded && arrival.locked_in && options.revalidate != Revalidate::no) {
    start.to_revalidate = std::move(loaded);
    arrival.locked_in = false;
    return arrival;
  }
  const bool looks = knows || region.looked < looks_for(options);
  if (!arrival.locked_in && looks && options.communicator->rank() == 0 && options.has_kept_choices()) {
    arrival.kept_choices = read_kept_choices(
        options, call.region, options.always_tune ? Reads::pins : Reads::pins_and_choices, region);
    arrival.locked_in = arrival.keeps_choices = !arrival.kept_choices.empty();
  }
  return arrival;
}

/// Where a choice of the region has failed to launch on some rank since the ranks met, all ranks forget what
/// is locked in for the region.
Hello RegionStart::meet(const RegionCall& call, Arrival arrival) {
  arrival.choice_failed = LaunchRegistry::instance().has_failed_choice(call.region_id);
  Hello hello =
      agreement::exchange_hello(groups_.exchange_for(call.options), call.region, call.options, arrival);
  if (hello.choice_failed) {
    LaunchRegistry::instance().forget_choices(call.region_id);
  }
  return hello;
}

/// Returns true if nothing was left to tune.
bool RegionStart::runs_with_kept(const RegionCall& call, Start& start) {
  const ResolvedOptions& options = call.options;
  Installed installed = install(call, start.hello, options.policy.search);
  known(call).note_looked(looks_for(options));
  start.sets = std::move(installed.unusable);
  if (!installed.choices || options.always_tune) {
    return false;
  }
  RegionReport& kept = installed.choices->report;
  if (options.revalidate != Revalidate::no && installed.choices->more_than_pins) {
    start.to_revalidate = std::move(kept);
    return false;
  }
  if (!runs_plainly(call)) {
    return false;
  }
  groups_.of(options).note_met(start.hello);
  known(call).note_locked_in(call.region_id, installed.choices->search);
  kept.warnings = take_unused_pin_warnings(call.region_id, options);
  report(std::move(kept), options, start.hello.tuning_id, start.setup ? &start.setup->recorder() : nullptr);
  return true;
}

bool RegionStart::runs_plainly(const RegionCall& call) {
  return run_plainly(call, reports_, groups_.exchange_for(call.options), watchdog_);
}

/// Prints the choices and logs them, in mode off without a log.
void RegionStart::report(RegionReport&& kept, const ResolvedOptions& options, const std::string& tuning_id,
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
    std::for_each(kept.warnings.begin(), kept.warnings.end(),
                  [&](const std::string& unused_pin) { recorder->loud_warning(unused_pin); });
    recorder->end(nullptr, {});
    kept.run_id = recorder->report().run_id;
    kept.log_directory = recorder->report().log_directory;
  }
  reports_.add(std::move(kept));
}

RegionStart::Installed RegionStart::install(const RegionCall& call, const Hello& hello, SearchLevel search) {
  detail::MadeReady made_ready;
  const Watchdog::Watch watch =
      watch_of_call(watchdog_, call.options, call.region, reports_, AfterGrace::leave, &made_ready);
  agreement::Exchange& exchange = groups_.exchange_for(call.options);
  KeptSets sets;
  {
    const Watchdog::Section section(watch, {Activity::prepare, Phase::final_run, 0});
    const bool versions_count = options::environment().values.version_check.value_or(true);
    sets = look_at_kept_choices(call.region_id, static_cast<std::size_t>(exchange.rank()), hello,
                                versions_count, search, made_ready);
  }
  Installed installed{install_kept_choices(exchange, call.region, call.region_id, sets)};
  installed.unusable = unusable_sets(sets);
  note_refused(sets, known(call));
  installed.tuning_id = hello.tuning_id;
  return installed;
}

/// Nothing is tuned here, so choices of any search will do.
RegionStart::Installed RegionStart::look(const RegionCall& call) {
  const ResolvedOptions& options = call.options;
  Arrival arrival{.setup_failure = options::failure_of(options)};
  if (options.communicator->rank() == 0 && options.has_kept_choices()) {
    arrival.keeps_choices = true;
    arrival.kept_choices = read_kept_choices(
        options, call.region, options.mode == Mode::off ? Reads::pins : Reads::pins_and_choices, known(call));
  }
  const Hello hello = meet(call, std::move(arrival));
  groups_.of(options).note_met(hello);
  return hello.kept_choices.empty() ? Installed{} : install(call, hello, SearchLevel::off);
}

void RegionStart::begin_untuned(const RegionCall& call) {
  const ResolvedOptions& options = call.options;
  const RankGroup& group = groups_.of(options);
  const bool looks = group.keeps_choices && known(call).looked < looks_for(options);
  if (!looks && group.met) {  // once: a rank may have another mode
    return;
  }
  Installed installed = look(call);
  known(call).note_looked(looks_for(options));
  if (installed.choices) {
    report(std::move(installed.choices->report), options, installed.tuning_id, nullptr);
  }
}

bool RegionStart::load(const RegionCall& call) {
  const ResolvedOptions& options = call.options;
  Installed installed = look(call);
  if (!installed.choices) {
    return false;
  }
  KnownRegion& region = known(call);
  region.note_looked(KnownRegion::for_choices(installed.choices->search));
  region.note_locked_in(call.region_id, installed.choices->search);
  if (installed.choices->more_than_pins) {
    region.loaded = installed.choices->report;
  }
  report(std::move(installed.choices->report), options, installed.tuning_id, nullptr);
  return true;
}

}  // namespace contextual::tuning

#include "contextual/tuning/kept_choices_of_run.hpp"

#include "contextual/config/utf8_text.hpp"
#include "contextual/launch/pin_book.hpp"
#include "contextual/policy/statistics.hpp"
#include "contextual/policy/tuning_state.hpp"
#include "contextual/record/reason_text.hpp"
#include "contextual/record/utc_time.hpp"
#include "contextual/storage/choice_store.hpp"
#include "contextual/tuning/kept_choices_reading.hpp"

#include <contextual/config.hpp>
#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/detail/storage/machine.hpp>
#include <contextual/detail/tuning/config_meanings.hpp>
#include <contextual/timer.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <iterator>
#include <optional>
#include <utility>

namespace contextual::tuning {
namespace {

using detail::ProblemSlot;
using storage::ChoiceSet;
using storage::KeptChoice;

/// Nothing where there are no samples.
std::optional<std::int64_t> centre_of(const policy::Summary& times) {
  return times.count == 0 ? std::nullopt : std::optional<std::int64_t>(std::llround(times.centre_ns));
}

std::optional<std::int64_t> spread_of(const policy::Summary& times) {
  return times.count == 0 ? std::nullopt : std::optional<std::int64_t>(std::llround(times.spread_ns));
}

/// The timer has measured the kernels, and not only how long the host takes to launch them.
bool is_measured(const agreement::LaunchedProblem& launched, const Timer& timer) {
  return timer.measures_devices() || !launched.on_stream;
}

/// Another process is to find out again what the noise of this one has hidden.
bool is_unsure(const policy::TuningState& state, std::size_t problem) {
  const auto& searches = state.searches();
  const auto latest = std::find_if(searches.rbegin(), searches.rend(), [&](const auto& search) {
    return std::find(search.members.begin(), search.members.end(), problem) != search.members.end() ||
           std::find(search.by_time.begin(), search.by_time.end(), problem) != search.by_time.end();
  });
  return latest != searches.rend() && latest->is_unsure();
}

/// Nothing for a problem whose kernels do not look the same on all of its ranks: the choice would be used
/// where another combination looks as one of its parts did.
std::optional<KeptChoice> choice_of(const record::ProblemView& view, const policy::TuningState& state,
                                    const Timer& timer, const agreement::LaunchedProblem& launched) {
  const ProblemSlot& slot = *view.slot;
  const bool kept =
      slot.found.pinned_by.empty() && !launched.kernels.empty() && launched.alike() &&
      view.record != nullptr && view.index && view.record->status == policy::ProblemStatus::locked_in &&
      !state.out_of_use(*view.index) && !is_unsure(state, *view.index) && is_measured(launched, timer);
  if (!kept) {
    return std::nullopt;
  }
  const std::size_t config_id = view.record->choice;
  const std::vector<std::int64_t>& samples = view.record->configs[config_id].samples_ns;
  const policy::Summary times = policy::summarize(samples);
  KeptChoice choice;
  choice.kernel = slot.problem.name;
  choice.coupling = slot.problem.coupling;
  choice.key = slot.problem.key;
  choice.key_text = slot.problem.key_text;
  choice.scope = slot.problem.scope;
  choice.launched = launched.kernels;
  choice.ranks = launched.ranks;
  choice.config_count = slot.problem.config_count;
  choice.config_id = config_id;
  choice.config = record::config_of(slot, config_id).to_json();
  if (const auto meanings = detail::config_meanings(choice.kernel, choice.key)) {
    if (config_id >= meanings->size()) {
      return std::nullopt;  // only other ranks have it
    }
    choice.meaning = (*meanings)[config_id];
  }
  choice.reason = record::reason_text(view.record->reason);
  choice.time_ns = centre_of(times);
  choice.time_spread_ns = spread_of(times);
  choice.reused = slot.found.locked_config == config_id && samples.empty();
  return choice;
}

std::string text_of(const ProblemSlot& slot, std::size_t config_id) {
  return slot.problem.name + " " + slot.problem.key_text + " config-" + std::to_string(config_id);
}

/// Configs that cannot be used by themselves come first. For people, so that a part is enough.
std::vector<storage::Infeasible> infeasible_in(const TuningRun& run) {
  std::vector<storage::Infeasible> all;
  std::vector<const ProblemSlot*> slots(run.state().problem_count(), nullptr);
  for (const record::ProblemView& view : run.problems()) {
    if (view.record == nullptr || !view.index) {
      continue;
    }
    slots[*view.index] = view.slot;
    for (std::size_t config = 0; config < view.record->configs.size(); ++config) {
      if (const auto& rejection = view.record->configs[config].rejection) {
        all.push_back({text_of(*view.slot, config), record::reason_text(*rejection)});
      }
    }
  }
  for (const auto& [assignment, reason] : run.state().infeasible()) {
    std::string text;
    for (std::size_t problem = 0; problem < std::min(assignment.size(), slots.size()); ++problem) {
      if (slots[problem] != nullptr) {
        text += (text.empty() ? "" : ", ") + text_of(*slots[problem], assignment[problem]);
      }
    }
    all.push_back({text, record::reason_text(reason)});
  }
  all.resize(std::min(all.size(), storage::most_infeasible));
  return all;
}

/// Versions stay as they are, but a library may have been loaded since. What all ranks have told comes last.
bool has_changed(const std::string& machine_at_begin) {
  const std::string now = detail::as_kept(detail::without_versions(detail::machine_text()));
  return !detail::without_versions(machine_at_begin).starts_with(now);
}

/// Of the last closing comparison, which all choices took part in, unless the final run has replaced one.
policy::Summary makespan_of(const policy::TuningState& state) {
  return state.searches().empty() || state.searches().back().replaced
             ? policy::Summary()
             : state.searches().back().choice_makespan;
}

/// What is launched on streams has times of devices: a processor with other cores chooses the same.
bool depends_on_processor(const TuningRun& run) {
  const std::vector<record::ProblemView> views = run.problems();
  return !run.launched_alike() ||
         std::any_of(views.begin(), views.end(), [](const record::ProblemView& view) {
           const auto& members = view.slot->found.members;
           return std::any_of(members.begin(), members.end(),
                              [](const auto& member) { return !member->traits().takes_stream; });
         });
}

}  // namespace

std::string write_kept_choices(const options::ResolvedOptions& options, const std::string& region,
                               const TuningRun& run, const std::vector<std::string>& machines) {
  try {
    if (has_changed(machines.front())) {
      return "the machine looked different when the run began: " + machines.front();
    }
    ChoiceSet entry;
    entry.region = region;
    entry.written = record::utc_text(std::chrono::system_clock::now());
    entry.machines = machines;
    if (!depends_on_processor(run)) {
      std::transform(machines.begin(), machines.end(), entry.machines.begin(), detail::without_processor);
    }
    entry.search = options.policy.search;
    entry.makespan_ns = centre_of(makespan_of(run.state()));
    entry.makespan_spread_ns = spread_of(makespan_of(run.state()));
    entry.infeasible = infeasible_in(run);
    std::transform(options.outputs.begin(), options.outputs.end(), std::back_inserter(entry.outputs),
                   [](const Output& output) { return output.name; });
    const std::vector<record::ProblemView> views = run.problems();
    if (std::any_of(views.begin(), views.end(),
                    [](const record::ProblemView& view) { return !view.slot->found.pinned_by.empty(); })) {
      const auto pins = detail::PinBook::instance().in_region(run.context().region_id());
      entry.beside_pins = storage::pins_digest(pins);
    }
    const agreement::LaunchedKernels launched = run.launched();
    bool something_new = false;
    for (const record::ProblemView& view : views) {
      if (auto choice = choice_of(view, run.state(), run.timer(), launched.of(*view.slot))) {
        something_new = something_new || view.slot->found.locked_config != choice->config_id;
        entry.choices.push_back(*std::move(choice));
      }
    }
    if (!something_new) {
      return {};
    }
    const bool reuses = std::any_of(entry.choices.begin(), entry.choices.end(),
                                    [](const KeptChoice& choice) { return choice.reused; });
    return storage::ChoiceStore(options.cache_directory, region)
        .save(entry, reuses ? shipped_sets(options, region) : std::vector<storage::ChoiceSet>());
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace contextual::tuning

#include "contextual/tuning/kept_choices_of_run.hpp"

#include "contextual/launch/kernel_pins.hpp"
#include "contextual/policy/statistics.hpp"
#include "contextual/policy/tuning_state.hpp"
#include "contextual/record/reason_text.hpp"
#include "contextual/record/utc_time.hpp"
#include "contextual/storage/choice_store.hpp"
#include "contextual/tuning/kept_choices_reading.hpp"
#include "contextual/tuning/set_fit.hpp"

#include <contextual/config.hpp>
#include <contextual/detail/launch/kernel_core.hpp>
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
void note(const policy::Summary& times, std::optional<std::int64_t>& centre_ns,
          std::optional<std::int64_t>& spread_ns) {
  if (times.count > 0) {
    centre_ns = std::llround(times.centre_ns);
    spread_ns = std::llround(times.spread_ns);
  }
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
  note(policy::summarize(samples), choice.time_ns, choice.time_spread_ns);
  choice.reused = slot.found.locked_config == config_id && samples.empty();
  return choice;
}

std::string text_of(const ProblemSlot& slot, std::size_t config_id) {
  return slot.problem.name + " " + slot.problem.key_text + " config-" + std::to_string(config_id);
}

/// Configs that cannot be used by themselves come first. For people, so that a part is enough.
std::vector<KeptInfeasible> infeasible_in(const TuningRun& run) {
  std::vector<KeptInfeasible> all;
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

/// Returns the names of parts that are others now. Versions stay as they are, but a library may have been
/// loaded since.
std::string changed_parts(detail::Machine at_begin) {
  at_begin.erase(detail::ranks_on_machine);
  ChoiceSet then;
  then.machines = {std::move(at_begin)};
  std::string names;
  for (const MachineDifference& part : differences(then, {.machines = {detail::this_machine()}})) {
    names += part.version ? "" : (names.empty() ? "" : ", ") + part.part;
  }
  return names;
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
                               const TuningRun& run, const std::vector<detail::Machine>& machines,
                               const std::set<std::string>& refused) {
  try {
    if (const std::string changed = changed_parts(machines.front()); !changed.empty()) {
      return "the machine looked different when the run began: " + changed;
    }
    ChoiceSet entry;
    entry.region = region;
    entry.written = record::utc_text(std::chrono::system_clock::now());
    entry.machines = machines;
    if (!depends_on_processor(run)) {
      for (detail::Machine& machine : entry.machines) {
        machine.erase(detail::processor_part);
      }
    }
    note(makespan_of(run.state()), entry.makespan_ns, entry.makespan_spread_ns);
    entry.infeasible = infeasible_in(run);
    const std::vector<record::ProblemView> views = run.problems();
    const std::string pins =
        storage::pins_digest(detail::PinBook::instance().in_region(run.context().region_id()));
    if (std::any_of(views.begin(), views.end(),
                    [](const record::ProblemView& view) { return !view.slot->found.pinned_by.empty(); })) {
      entry.beside_pins = pins;
    }
    const agreement::LaunchedKernels launched = run.launched();
    bool something_new = false;
    for (const record::ProblemView& view : views) {
      if (auto choice = choice_of(view, run.state(), run.timer(), launched.of(*view.slot))) {
        something_new = something_new || view.slot->found.locked_config != choice->config_id;
        choice->search = options.policy.search;
        std::transform(options.outputs.begin(), options.outputs.end(), std::back_inserter(choice->outputs),
                       [](const Output& output) { return output.name; });
        entry.choices.push_back(*std::move(choice));
      }
    }
    if (!something_new) {
      return {};
    }
    return storage::ChoiceStore(options.cache_directory, region)
        .save(entry, {machines, pins, refused}, shipped_sets(options, region));
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace contextual::tuning

#include "contextual/tuning/kept_choices.hpp"

#include "contextual/agreement/kept_choices.hpp"
#include "contextual/policy/tuning_state.hpp"
#include "contextual/record/utc_time.hpp"
#include "contextual/storage/choice_store.hpp"
#include "contextual/tuning/lock_ins.hpp"

#include <contextual/config.hpp>
#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/detail/storage/warning.hpp>
#include <contextual/launch_registry.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <memory>
#include <set>
#include <utility>

namespace contextual::tuning {
namespace {

using detail::KernelCore;
using detail::ProblemSlot;
using storage::ChoiceEntry;
using storage::ChosenKernel;
using storage::KeptChoice;

using Cores = std::vector<std::shared_ptr<KernelCore>>;

std::vector<ChoiceEntry> entries_of(const std::string& text) {
  std::vector<ChoiceEntry> entries;
  const nlohmann::json list = nlohmann::json::parse(text, nullptr, false);
  for (const nlohmann::json& item : list.is_array() ? list : nlohmann::json::array()) {
    storage::ParsedEntry parsed = storage::parse_entry(item.is_string() ? item.get<std::string>() : "");
    if (parsed.entry) {
      entries.push_back(*std::move(parsed.entry));
    }
  }
  return entries;
}

/// The living kernels that a choice is for.
Cores living_kernels(const KeptChoice& choice, const Cores& all) {
  Cores found;
  for (const auto& core : all) {
    const bool named =
        std::any_of(choice.launched.begin(), choice.launched.end(),
                    [&](const ChosenKernel& kernel) { return kernel.name == core->traits().name; });
    if (named || (!choice.coupling.empty() && core->traits().coupling == choice.coupling)) {
      found.push_back(core);
    }
  }
  return found;
}

/// The kernel looks as it did when the choice was made. Coupled kernels may be others than there.
bool is_unchanged(const KernelCore& core, const KeptChoice& choice) {
  const auto before =
      std::find_if(choice.launched.begin(), choice.launched.end(),
                   [&](const ChosenKernel& kernel) { return kernel.name == core.traits().name; });
  return core.traits().coupling == choice.coupling && core.space().size == choice.config_count &&
         (before == choice.launched.end() || before->table_digest == core.table_digest());
}

/// Loads what the choice launches, or its first launch would do so within the region.
bool is_usable(const KeptChoice& choice, const Cores& all) {
  for (const auto& core : living_kernels(choice, all)) {
    if (!is_unchanged(*core, choice)) {
      return false;
    }
    if (core->traits().prepare) {
      core->traits().prepare(choice.config_id, choice.key);
    }
  }
  return true;
}

bool is_usable(const ChoiceEntry& entry, const std::vector<std::string>& machines, const Cores& all) {
  try {
    return entry.machines == machines &&
           std::all_of(entry.choices.begin(), entry.choices.end(),
                       [&](const KeptChoice& choice) { return is_usable(choice, all); });
  } catch (const std::exception& error) {  // of a config space, or a config that cannot be prepared any more
    detail::warn_once("region \"" + entry.region + "\": choices of " + entry.written +
                      " are not used: " + error.what());
    return false;
  }
}

void lock_in(const KeptChoice& choice, std::uint32_t region_id, const Cores& all) {
  std::set<std::string> names;
  const auto put = [&](const std::shared_ptr<detail::LockInTable>& table, const std::string& name) {
    if (names.insert(name).second) {
      table->lock_in(region_id, choice.key, static_cast<int>(choice.config_id), detail::Standing::lasting,
                     choice.scope);
    }
  };
  for (const auto& core : living_kernels(choice, all)) {
    put(core->table(), core->traits().name);
  }
  for (const ChosenKernel& kernel : choice.launched) {  // those that do not exist yet
    if (!names.contains(kernel.name)) {
      put(LaunchRegistry::instance().table_for(kernel.name, kernel.table_digest), kernel.name);
    }
  }
}

ProblemReport report_of(const KeptChoice& choice, const std::string& written) {
  ProblemReport report;
  report.kernel = choice.kernel;
  report.key = choice.key_text;
  report.outcome = ProblemOutcome::locked_in;
  report.choice = choice.config_id;
  report.choice_config = Config::from_json(choice.config);
  report.reason = "kept since " + written + ": " + choice.reason;
  report.reused = true;
  return report;
}

/// What is chosen again for the same problem replaces it.
void add_to(RegionReport& report, ProblemReport problem) {
  const auto known = std::find_if(
      report.problems.begin(), report.problems.end(),
      [&](const ProblemReport& other) { return other.kernel == problem.kernel && other.key == problem.key; });
  if (known == report.problems.end()) {
    report.problems.push_back(std::move(problem));
  } else {
    *known = std::move(problem);
  }
}

std::optional<std::int64_t> median_of(std::vector<std::int64_t> samples) {
  if (samples.empty()) {
    return std::nullopt;
  }
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

std::vector<ChosenKernel> launched_kernels(const ProblemSlot& slot) {
  std::vector<ChosenKernel> launched;
  for (const auto& member : slot.found.members) {
    launched.push_back({member->traits().name, member->table_digest()});
  }
  if (launched.empty() && slot.problem.coupling.empty()) {  // only other ranks launch it
    launched.push_back({slot.problem.name, slot.problem.space_digest});
  }
  return launched;
}

std::optional<KeptChoice> choice_of(const record::ProblemView& view, const policy::TuningState& state) {
  const ProblemSlot& slot = *view.slot;
  const bool kept = slot.shared() && view.record != nullptr && view.index &&
                    view.record->status == policy::ProblemStatus::locked_in && !state.out_of_use(*view.index);
  if (!kept) {
    return std::nullopt;
  }
  const std::size_t config_id = view.record->choice;
  return KeptChoice{slot.problem.name,
                    slot.problem.coupling,
                    slot.problem.key,
                    slot.problem.key_text,
                    slot.problem.scope,
                    launched_kernels(slot),
                    slot.problem.config_count,
                    config_id,
                    record::config_of(slot, config_id).to_json(),
                    view.record->reason,
                    median_of(view.record->configs[config_id].samples_ns)};
}

/// Of the last closing comparison, which all choices took part in.
std::optional<std::int64_t> makespan_of(const policy::TuningState& state) {
  if (state.searches().empty() || state.searches().back().choice_makespan.count == 0) {
    return std::nullopt;
  }
  return std::llround(state.searches().back().choice_makespan.centre_ns);
}

}  // namespace

std::string read_kept_choices(const std::filesystem::path& directory, const std::string& region) {
  const storage::ChoiceStore::Kept kept = storage::ChoiceStore(directory, region).load();
  for (const std::string& problem : kept.problems) {
    detail::warn_once(problem);
  }
  nlohmann::json list = nlohmann::json::array();
  for (const ChoiceEntry& entry : kept.entries) {
    list.push_back(to_json(entry));
  }
  return list.empty() ? std::string() : list.dump();
}

RegionReport install_kept_choices(agreement::Exchange& exchange, const std::string& region,
                                  std::uint32_t region_id, const agreement::Hello& hello) {
  const std::vector<ChoiceEntry> entries = entries_of(hello.kept_choices);
  const Cores all = LaunchRegistry::instance().kernels();
  std::vector<bool> usable;
  for (const ChoiceEntry& entry : entries) {
    usable.push_back(is_usable(entry, hello.machines, all));
  }
  const std::vector<bool> usable_everywhere = agreement::agree_on_kept_choices(exchange, region, usable);
  RegionReport report;
  report.region = region;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    for (const KeptChoice& choice : usable_everywhere[i] ? entries[i].choices : std::vector<KeptChoice>()) {
      lock_in(choice, region_id, all);
      add_to(report, report_of(choice, entries[i].written));
    }
  }
  if (!report.problems.empty()) {
    note_publication(region_id);
  }
  return report;
}

std::string write_kept_choices(const std::filesystem::path& directory, const std::string& region,
                               const TuningRun& run, const std::vector<std::string>& machines) {
  ChoiceEntry entry;
  entry.region = region;
  entry.written = record::utc_text(std::chrono::system_clock::now());
  entry.machines = machines;
  entry.makespan_ns = makespan_of(run.state());
  bool something_new = false;
  for (const record::ProblemView& view : run.problems()) {
    if (std::optional<KeptChoice> choice = choice_of(view, run.state())) {
      something_new = something_new || view.slot->found.locked_config != choice->config_id;
      entry.choices.push_back(*std::move(choice));
    }
  }
  return something_new ? storage::ChoiceStore(directory, region).save(entry) : std::string();
}

}  // namespace contextual::tuning

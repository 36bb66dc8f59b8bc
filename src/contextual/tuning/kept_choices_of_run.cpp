#include "contextual/tuning/kept_choices_of_run.hpp"

#include "contextual/agreement/details_text.hpp"
#include "contextual/agreement/kept_choices.hpp"
#include "contextual/policy/statistics.hpp"
#include "contextual/policy/tuning_state.hpp"
#include "contextual/record/utc_time.hpp"
#include "contextual/storage/choice_store.hpp"

#include <contextual/config.hpp>
#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/detail/storage/machine.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace contextual::tuning {
namespace {

using detail::ProblemSlot;
using storage::ChoiceEntry;
using storage::ChosenKernel;
using storage::KeptChoice;

/// What identifies a problem within a region, for ranks that tune it together.
using SharedProblem = std::tuple<std::string, std::uint64_t, std::uint64_t>;

/// Nothing where there are no samples.
std::optional<std::int64_t> centre_of(const policy::Summary& times) {
  return times.count == 0 ? std::nullopt : std::optional<std::int64_t>(std::llround(times.centre_ns));
}

/// The kernels of shared problems, by problem. Ranks may launch different ones.
using LaunchedKernels = std::map<SharedProblem, std::vector<ChosenKernel>>;

SharedProblem words_of(const ProblemSlot& slot) {
  return {slot.problem.name, slot.problem.key.hash(), slot.problem.scope};
}

std::vector<ChosenKernel> kernels_of(const ProblemSlot& slot) {
  std::vector<ChosenKernel> kernels;
  for (const auto& member : slot.found.members) {
    kernels.push_back({member->traits().name, member->table_digest()});
  }
  return kernels;
}

std::optional<KeptChoice> choice_of(const record::ProblemView& view, const policy::TuningState& state,
                                    std::vector<ChosenKernel> launched) {
  const ProblemSlot& slot = *view.slot;
  const bool kept = slot.found.pinned_by.empty() && view.record != nullptr && view.index &&
                    view.record->status == policy::ProblemStatus::locked_in && !state.out_of_use(*view.index);
  if (!kept) {
    return std::nullopt;
  }
  const std::size_t config_id = view.record->choice;
  return KeptChoice{
      slot.problem.name,
      slot.problem.coupling,
      slot.problem.key,
      slot.problem.key_text,
      slot.problem.scope,
      std::move(launched),
      slot.problem.config_count,
      config_id,
      record::config_of(slot, config_id).to_json(),
      view.record->reason,
      centre_of(policy::summarize(view.record->configs[config_id].samples_ns, Statistic::median))};
}

/// What a rank tells rank 0 after a tuning.
struct RankChoices {
  LaunchedKernels launched;     ///< of shared problems
  std::vector<KeptChoice> own;  ///< of its `local` kernels
  bool something_new = false;   ///< it has not had one of these before
};

std::string told_text(const TuningRun& run, std::size_t rank, std::size_t ranks) {
  nlohmann::json launched = nlohmann::json::array();
  ChoiceEntry own;
  own.machines.resize(ranks);
  bool something_new = false;
  for (const record::ProblemView& view : run.problems()) {
    if (view.slot->shared()) {
      const auto& [name, key, scope] = words_of(*view.slot);
      for (const ChosenKernel& kernel : kernels_of(*view.slot)) {
        launched.push_back({name, key, scope, kernel.name, kernel.table_digest});
      }
    } else if (auto choice = choice_of(view, run.own_state(), kernels_of(*view.slot))) {
      choice->rank = rank;
      something_new = something_new || view.slot->found.locked_config != choice->config_id;
      own.choices.push_back(*std::move(choice));
    }
  }
  return agreement::details_text(
      {{"launched", launched}, {"own", to_json(own)}, {"something_new", something_new}});
}

/// Of all ranks. Throws nlohmann's exceptions, or std::runtime_error, if a rank has sent something else.
RankChoices told(const std::vector<std::string>& texts) {
  RankChoices all;
  for (const std::string& text : texts) {
    const nlohmann::json details = agreement::parse_details(text);
    for (const nlohmann::json& item : details.at("launched")) {
      const SharedProblem problem{item.at(0).get<std::string>(), item.at(1).get<std::uint64_t>(),
                                  item.at(2).get<std::uint64_t>()};
      const ChosenKernel kernel{item.at(3).get<std::string>(), item.at(4).get<std::uint64_t>()};
      std::vector<ChosenKernel>& kernels = all.launched[problem];
      if (std::find(kernels.begin(), kernels.end(), kernel) == kernels.end()) {
        kernels.push_back(kernel);
      }
    }
    storage::ParsedEntry own = storage::parse_entry(details.at("own").get<std::string>());
    if (!own.entry) {
      throw std::runtime_error("a rank's own choices cannot be read: " + own.problem);
    }
    std::move(own.entry->choices.begin(), own.entry->choices.end(), std::back_inserter(all.own));
    all.something_new = all.something_new || details.at("something_new").get<bool>();
  }
  return all;
}

/// Versions stay as they are, but a library may have been loaded since. What all ranks have told comes last.
bool has_changed(const std::string& machine_at_begin) {
  const std::string now = storage::as_kept(detail::without_versions(detail::machine_text()));
  return !detail::without_versions(machine_at_begin).starts_with(now);
}

/// Of the last closing comparison, which all choices took part in.
std::optional<std::int64_t> makespan_of(const policy::TuningState& state) {
  return state.searches().empty() ? std::nullopt : centre_of(state.searches().back().choice_makespan);
}

}  // namespace

std::string write_kept_choices(agreement::Exchange& exchange, const std::filesystem::path& directory,
                               const std::string& region, const TuningRun& run,
                               const std::vector<std::string>& machines) {
  const std::string own = told_text(run, static_cast<std::size_t>(exchange.rank()), machines.size());
  const std::vector<std::string> texts = run.launched_alike()
                                             ? std::vector<std::string>{own}
                                             : agreement::gather_launched_kernels(exchange, region, own);
  if (exchange.rank() != 0) {
    return {};
  }
  try {
    if (has_changed(machines.front())) {
      return "the machine looked different when the run began: " + machines.front();
    }
    RankChoices ranks = told(texts);
    ChoiceEntry entry;
    entry.region = region;
    entry.written = record::utc_text(std::chrono::system_clock::now());
    entry.machines = machines;
    entry.makespan_ns = makespan_of(run.state());
    bool something_new = ranks.something_new;
    for (const record::ProblemView& view : run.problems()) {
      if (!view.slot->shared()) {
        continue;
      }
      if (auto choice = choice_of(view, run.state(), ranks.launched[words_of(*view.slot)])) {
        something_new = something_new || view.slot->found.locked_config != choice->config_id;
        entry.choices.push_back(*std::move(choice));
      }
    }
    std::move(ranks.own.begin(), ranks.own.end(), std::back_inserter(entry.choices));
    return something_new ? storage::ChoiceStore(directory, region).save(entry) : std::string();
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace contextual::tuning

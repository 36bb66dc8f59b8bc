#include "contextual/tuning/kept_choices_of_run.hpp"

#include "contextual/agreement/details_text.hpp"
#include "contextual/agreement/kept_choices.hpp"
#include "contextual/launch/pin_book.hpp"
#include "contextual/policy/statistics.hpp"
#include "contextual/policy/tuning_state.hpp"
#include "contextual/record/utc_time.hpp"
#include "contextual/storage/choice_store.hpp"
#include "contextual/tuning/kept_choices_reading.hpp"

#include <contextual/config.hpp>
#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/detail/storage/machine.hpp>
#include <contextual/timer.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <iterator>
#include <map>
#include <optional>
#include <set>
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

std::optional<std::int64_t> spread_of(const policy::Summary& times) {
  return times.count == 0 ? std::nullopt : std::optional<std::int64_t>(std::llround(times.spread_ns));
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

/// The timer has measured the kernel, and not only how long the host takes to launch it.
bool is_measured(const ProblemSlot& slot, const Timer& timer) {
  return timer.measures_devices() ||
         std::none_of(slot.found.members.begin(), slot.found.members.end(),
                      [](const auto& member) { return member->traits().works_on_stream(); });
}

std::optional<KeptChoice> choice_of(const record::ProblemView& view, const policy::TuningState& state,
                                    const Timer& timer, std::vector<ChosenKernel> launched) {
  constexpr auto statistic = Statistic::median;
  const ProblemSlot& slot = *view.slot;
  const bool kept = slot.found.pinned_by.empty() && !launched.empty() && view.record != nullptr &&
                    view.index && view.record->status == policy::ProblemStatus::locked_in &&
                    !state.out_of_use(*view.index) && is_measured(slot, timer);
  if (!kept) {
    return std::nullopt;
  }
  const std::size_t config_id = view.record->choice;
  const std::vector<std::int64_t>& samples = view.record->configs[config_id].samples_ns;
  const policy::Summary times = policy::summarize(samples, statistic);
  KeptChoice choice;
  choice.kernel = slot.problem.name;
  choice.coupling = slot.problem.coupling;
  choice.key = slot.problem.key;
  choice.key_text = slot.problem.key_text;
  choice.scope = slot.problem.scope;
  choice.launched = std::move(launched);
  choice.config_count = slot.problem.config_count;
  choice.config_id = config_id;
  choice.config = record::config_of(slot, config_id).to_json();
  choice.reason = view.record->reason;
  choice.time_ns = centre_of(times);
  choice.time_spread_ns = spread_of(times);
  choice.reused = slot.found.locked_config == config_id && samples.empty();
  return choice;
}

/// The names of kernels that do not look the same on all ranks that have launched one. A choice for such a
/// one would be used where another combination looks as one of its parts did.
std::set<std::string> ambiguous_kernels(const LaunchedKernels& launched) {
  std::map<std::string, std::uint64_t> digests;
  std::set<std::string> ambiguous;
  for (const auto& [problem, kernels] : launched) {
    for (const ChosenKernel& kernel : kernels) {
      const auto known = digests.emplace(kernel.name, kernel.table_digest).first;
      if (known->second != kernel.table_digest) {
        ambiguous.insert(kernel.name);
      }
    }
  }
  return ambiguous;
}

bool has_any(const std::set<std::string>& names, const std::vector<ChosenKernel>& kernels) {
  return std::any_of(kernels.begin(), kernels.end(),
                     [&](const ChosenKernel& kernel) { return names.contains(kernel.name); });
}

std::string text_of(const ProblemSlot& slot, std::size_t config_id) {
  return slot.problem.name + " " + slot.problem.key_text + " config-" + std::to_string(config_id);
}

/// Configs that cannot be used by themselves come first. For people, so that a part is enough.
std::vector<storage::Infeasible> infeasible_in(const TuningRun& run) {
  std::vector<storage::Infeasible> all;
  std::vector<const ProblemSlot*> slots(run.state().problem_count(), nullptr);
  for (const record::ProblemView& view : run.problems()) {
    if (!view.slot->shared() || view.record == nullptr || !view.index) {
      continue;
    }
    slots[*view.index] = view.slot;
    for (std::size_t config = 0; config < view.record->configs.size(); ++config) {
      if (const auto& rejection = view.record->configs[config].rejection) {
        all.push_back({text_of(*view.slot, config), *rejection});
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
    all.push_back({text, reason});
  }
  all.resize(std::min(all.size(), storage::most_infeasible));
  return all;
}

/// What a rank tells rank 0 after a tuning.
struct RankChoices {
  LaunchedKernels launched;     ///< of shared problems
  std::vector<KeptChoice> own;  ///< of its `local` kernels
  bool something_new = false;   ///< it has not had one of these before
  bool pinned = false;          ///< a kernel of the region was pinned
};

std::string told_text(const TuningRun& run, std::size_t rank, std::size_t ranks) {
  nlohmann::json launched = nlohmann::json::array();
  nlohmann::json reused = nlohmann::json::array();
  ChoiceEntry own;
  own.machines.resize(ranks);
  bool something_new = false;
  bool pinned = false;
  for (const record::ProblemView& view : run.problems()) {
    pinned = pinned || !view.slot->found.pinned_by.empty();
    if (view.slot->shared()) {
      const auto& [name, key, scope] = words_of(*view.slot);
      for (const ChosenKernel& kernel : kernels_of(*view.slot)) {
        launched.push_back({name, key, scope, kernel.name, kernel.table_digest});
      }
    } else if (auto choice = choice_of(view, run.own_state(), run.timer(), kernels_of(*view.slot))) {
      choice->rank = rank;
      something_new = something_new || view.slot->found.locked_config != choice->config_id;
      reused.push_back(choice->reused);
      own.choices.push_back(*std::move(choice));
    }
  }
  return agreement::details_text({{"launched", launched},
                                  {"own", to_json(own)},
                                  {"reused", reused},
                                  {"something_new", something_new},
                                  {"pinned", pinned}});
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
    for (std::size_t i = 0; i < own.entry->choices.size(); ++i) {
      own.entry->choices[i].reused = details.at("reused").at(i).get<bool>();
    }
    std::move(own.entry->choices.begin(), own.entry->choices.end(), std::back_inserter(all.own));
    all.something_new = all.something_new || details.at("something_new").get<bool>();
    all.pinned = all.pinned || details.at("pinned").get<bool>();
  }
  return all;
}

/// Versions stay as they are, but a library may have been loaded since. What all ranks have told comes last.
bool has_changed(const std::string& machine_at_begin) {
  const std::string now = storage::as_kept(detail::without_versions(detail::machine_text()));
  return !detail::without_versions(machine_at_begin).starts_with(now);
}

/// Of the last closing comparison, which all choices took part in.
policy::Summary makespan_of(const policy::TuningState& state) {
  return state.searches().empty() ? policy::Summary() : state.searches().back().choice_makespan;
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

std::string write_kept_choices(agreement::Exchange& exchange, const options::ResolvedOptions& options,
                               const std::string& region, const TuningRun& run,
                               const std::vector<std::string>& machines) {
  const std::string own = told_text(run, static_cast<std::size_t>(exchange.rank()), machines.size());
  const std::vector<std::string> texts = run.launched_alike()
                                             ? std::vector<std::string>{own}
                                             : agreement::gather_launched_kernels(exchange, region, own);
  if (exchange.rank() != 0 || options.cache_directory.empty()) {
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
    if (!depends_on_processor(run)) {
      std::transform(machines.begin(), machines.end(), entry.machines.begin(), detail::without_processor);
    }
    entry.makespan_ns = centre_of(makespan_of(run.state()));
    entry.makespan_spread_ns = spread_of(makespan_of(run.state()));
    entry.infeasible = infeasible_in(run);
    if (ranks.pinned) {
      const auto pins = detail::PinBook::instance().in_region(run.context().region_id());
      entry.beside_pins = storage::pins_digest(pins);
    }
    const std::set<std::string> ambiguous = ambiguous_kernels(ranks.launched);
    bool something_new = ranks.something_new;
    for (const record::ProblemView& view : run.problems()) {
      const std::vector<ChosenKernel>& launched = ranks.launched[words_of(*view.slot)];
      if (!view.slot->shared() || has_any(ambiguous, launched)) {
        continue;
      }
      if (auto choice = choice_of(view, run.state(), run.timer(), launched)) {
        something_new = something_new || view.slot->found.locked_config != choice->config_id;
        entry.choices.push_back(*std::move(choice));
      }
    }
    std::move(ranks.own.begin(), ranks.own.end(), std::back_inserter(entry.choices));
    if (!something_new) {
      return {};
    }
    const bool reuses = std::any_of(entry.choices.begin(), entry.choices.end(),
                                    [](const KeptChoice& choice) { return choice.reused; });
    return storage::ChoiceStore(options.cache_directory, region)
        .save(entry, reuses ? shipped_sets(options, region) : std::vector<storage::ChoiceEntry>());
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace contextual::tuning

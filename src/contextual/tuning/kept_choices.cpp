#include "contextual/tuning/kept_choices.hpp"

#include "contextual/launch/exception_text.hpp"
#include "contextual/options/option_text.hpp"
#include "contextual/storage/region_file.hpp"
#include "contextual/tuning/kept_choices_reading.hpp"
#include "contextual/tuning/pins.hpp"

#include <contextual/config.hpp>
#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/detail/launch/lock_in_table.hpp>
#include <contextual/detail/storage/warning.hpp>
#include <contextual/detail/tuning/config_meanings.hpp>
#include <contextual/error.hpp>
#include <contextual/launch_registry.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <utility>

namespace contextual::tuning {
namespace {

using detail::KernelCore;
using storage::ChoiceSet;
using storage::ChosenKernel;
using storage::KeptChoice;

using Cores = std::vector<std::shared_ptr<KernelCore>>;

Cores living_kernels() {
  Cores cores = LaunchRegistry::instance().kernels();
  std::erase_if(cores, [](const auto& core) { return !core->alive(); });
  return cores;
}

/// The kernels that the choice is for, as far as they exist. A coupled one may be new.
Cores kernels_of(const KeptChoice& choice, const Cores& all) {
  Cores found;
  std::copy_if(all.begin(), all.end(), std::back_inserter(found), [&](const auto& core) {
    return std::any_of(choice.launched.begin(), choice.launched.end(),
                       [&](const ChosenKernel& kernel) { return kernel.name == core->traits().name; }) ||
           (!choice.coupling.empty() && core->traits().coupling == choice.coupling);
  });
  return found;
}

/// Another rank's keys are not launched here, so that their configs need not fit this rank's device.
bool concerns(const KeptChoice& choice, std::size_t rank) {
  return choice.ranks.empty() ||
         std::find(choice.ranks.begin(), choice.ranks.end(), rank) != choice.ranks.end();
}

/// The kernel looks as it did when the choice was made.
bool is_unchanged(const KernelCore& core, const KeptChoice& choice) {
  const ChosenKernel now{core.traits().name, core.table_digest()};
  return core.traits().coupling == choice.coupling &&
         std::find(choice.launched.begin(), choice.launched.end(), now) != choice.launched.end();
}

std::string change_text(const KernelCore& core, const KeptChoice& choice) {
  const std::string kernel = "kernel \"" + core.traits().name + "\" ";
  const auto then =
      std::find_if(choice.launched.begin(), choice.launched.end(),
                   [&](const ChosenKernel& launched) { return launched.name == core.traits().name; });
  if (then != choice.launched.end() && then->origin != core.origin()) {
    return kernel + "is of another program, build or version than then: then " + then->origin + ", now " +
           core.origin() + "; KernelOptions::version makes choices last";
  }
  return kernel + "has another config space, source, compiler or coupling than then";
}

/// Its kernels may not exist at the moment; their choices do. What a lower search than this one has chosen is
/// open.
bool is_open(const KeptChoice& choice, std::uint32_t region_id, SearchLevel search) {
  return std::all_of(choice.launched.begin(), choice.launched.end(), [&](const ChosenKernel& kernel) {
    const auto table = LaunchRegistry::instance().kept_table(kernel.name, kernel.table_digest);
    return table->find(region_id, choice.key, choice.scope) == detail::LockInTable::none ||
           table->finality(region_id, choice.key, choice.scope) != detail::ChoiceFinality::lasting ||
           table->searched_by(region_id, choice.key, choice.scope) < search;
  });
}

/// Throws Error if there is no such config any more.
std::size_t id_now_of(const KeptChoice& choice) {
  const auto meanings =
      choice.meaning.empty() ? std::nullopt : detail::config_meanings(choice.kernel, choice.key);
  if (!meanings) {
    return choice.config_id;
  }
  const auto found = std::find(meanings->begin(), meanings->end(), choice.meaning);
  const auto id = static_cast<std::size_t>(found - meanings->begin());
  if (id >= std::min(meanings->size(), choice.config_count)) {
    throw Error("kernel \"" + choice.kernel + "\" " + choice.key_text + " has no config any more that is " +
                choice.meaning);
  }
  return id;
}

/// Loads what the choices launch, or their first launches would do so within the region.
struct Preparing {
  const std::uint32_t region_id;
  const std::size_t rank;
  const Surroundings& now;
  const SearchLevel search;
  detail::MadeReady& made_ready;
  const Cores kernels = living_kernels();
  /// Several sets may have the same choice.
  std::set<std::pair<const KernelCore*, std::uint64_t>> prepared{};

  /// Returns what keeps a set from being used. Throws DeviceError.
  Unusable judge(ChoiceSet& entry) {
    if (const KeptStanding standing = standing_of(entry, now); standing != KeptStanding::counts) {
      return {true, standing, misfit_text(entry, now)};
    }
    if (const SearchLevel found_by = search_of(entry); found_by < search) {
      return {true, KeptStanding::counts,
              "they were found by search " + options::text_of(found_by) + ", and " +
                  options::text_of(search) + " is asked for: the tuning goes on from them",
              true};
    }
    try {
      for (KeptChoice& choice : entry.choices) {
        if (Unusable found = judge(choice); found.anything) {
          return found;
        }
      }
      return {};
    } catch (const DeviceError&) {
      throw;  // no choice is to blame
    } catch (
        const std::exception& error) {  // of a config space, or a config that cannot be prepared any more
      return refuse(entry, error.what());
    }
  }

  Unusable judge(KeptChoice& choice) {
    if (!concerns(choice, rank)) {
      return {};
    }
    if (!is_open(choice, region_id, search)) {
      return {.anything = true, .open = true};  // this process has chosen, and what it has chosen is used
    }
    const Cores cores = kernels_of(choice, kernels);
    for (const auto& core : cores) {
      if (!is_unchanged(*core, choice)) {
        return {.anything = true, .reason = change_text(*core, choice)};
      }
    }
    const std::size_t id_now = id_now_of(choice);
    choice.id_now = id_now;
    for (const auto& core : cores) {
      const std::string failed =
          core->table()->why_ruled_out({choice.key, choice.scope, static_cast<int>(id_now)});
      if (!failed.empty()) {
        throw Error("config-" + std::to_string(id_now) + " of kernel \"" + core->traits().name +
                    "\" is out for this process, because " + failed);
      }
      if (!prepared.contains({core.get(), storage::choice_digest(choice)})) {
        const std::string reason = made_ready.load(*core, id_now, &choice.key, choice.key_text);
        if (!reason.empty()) {
          throw Error(reason);
        }
        prepared.insert({core.get(), storage::choice_digest(choice)});
      }
    }
    return {};
  }

  static Unusable refuse(const ChoiceSet& entry, const std::string& why) {
    warn_of_unused(entry, why);
    return {.anything = true, .reason = why};
  }
};

bool is_pinned(const KeptChoice& choice, const std::vector<storage::Pin>& pins) {
  return std::any_of(pins.begin(), pins.end(), [&](const storage::Pin& pin) {
    return pin.kernel == choice.kernel && pin.is_for(choice.key, choice.key_text, choice.scope);
  });
}

void lock_in(const KeptChoice& choice, std::uint32_t region_id, bool here_only) {
  for (const ChosenKernel& kernel : choice.launched) {
    const auto table = LaunchRegistry::instance().kept_table(kernel.name, kernel.table_digest);
    table->lock_in(region_id, choice.key, static_cast<int>(choice.id_now.value_or(choice.config_id)),
                   detail::ChoiceFinality::lasting, choice.scope, choice.search);
    table->note_used_here_only(region_id, choice.key, choice.scope, here_only);
  }
}

/// The first set that all ranks can use. What was chosen together is used together.
const ChoiceSet* first_usable(const KeptSets& sets) {
  for (std::size_t i = 0; i < sets.by_precedence.size(); ++i) {
    if (sets.outcome.usable[i] && !sets.by_precedence[i].choices.empty()) {
      return &sets.by_precedence[i];
    }
  }
  return nullptr;
}

/// Once a process. Names the set that is nearest to one that can be used, and of several the first one. In
/// a directory that several machines share, others beside one that is used are as it should be.
void warn_if_none_fits(const KeptSets& sets) {
  const std::vector<bool>& usable = sets.outcome.usable;
  if (usable.empty() || std::find(usable.begin(), usable.end(), true) != usable.end()) {
    return;
  }
  const auto nearest = std::min_element(
      sets.unusable.begin(), sets.unusable.end(),
      [](const Unusable& one, const Unusable& other) { return one.standing < other.standing; });
  const ChoiceSet& entry = sets.by_precedence[static_cast<std::size_t>(nearest - sets.unusable.begin())];
  if (!nearest->anything) {
    warn_of_unused(entry, "another rank cannot use them, because of its kernels");
  } else if (!nearest->reason.empty()) {
    warn_of_unused(entry, nearest->reason);
  }
}

ProblemReport report_of(const KeptChoice& choice, const std::string& written) {
  const std::size_t config_id = choice.id_now.value_or(choice.config_id);
  const Cores cores = config_id == choice.config_id ? Cores() : kernels_of(choice, living_kernels());
  ProblemReport report;
  report.kernel = choice.kernel;
  report.key = choice.key_text;
  report.outcome = ProblemOutcome::locked_in;
  report.choice = config_id;
  report.choice_config =
      cores.empty() ? Config::from_json(choice.config) : cores.front()->space().configs.at(config_id);
  report.reason = "kept since " + written + ": " + choice.reason;
  report.reused = true;
  return report;
}

}  // namespace

KeptSets look_at_kept_choices(std::uint32_t region_id, std::size_t rank, const agreement::Hello& hello,
                              bool versions_count, SearchLevel search, detail::MadeReady& made_ready) {
  const std::string_view kept = hello.kept_choices;
  const auto told = nlohmann::json::parse(kept.substr(0, kept.find('\n')));
  storage::RegionFile file = storage::parse_region(kept.substr(kept.find('\n') + 1), told.value("path", ""));
  KeptSets sets{{}, std::move(file.sets), {}, hello.machines, search};
  try {
    if (const std::string unknown = told.value("pins_unknown", ""); !unknown.empty()) {
      throw InvalidArgument(unknown);
    }
    sets.pins = std::move(file.pins);
    check_pins(sets.pins);
    const Surroundings now{hello.machines, false, storage::pins_digest(sets.pins), versions_count};
    Preparing preparing{region_id, rank, now, search, made_ready};
    for (const auto& kernel : preparing.kernels) {
      made_ready.load_first(*kernel);  // what has no choice launches its default
    }
    prepare_pins(sets.pins, made_ready);
    for (ChoiceSet& entry : sets.by_precedence) {
      sets.unusable.push_back(preparing.judge(entry));
      sets.outcome.usable.push_back(!sets.unusable.back().anything);
    }
  } catch (...) {
    sets.outcome.failure = {std::current_exception(), detail::exception_text(std::current_exception())};
    sets.outcome.usable.resize(sets.by_precedence.size());
  }
  return sets;
}

std::optional<InstalledChoices> install_kept_choices(agreement::Exchange& exchange, const std::string& region,
                                                     std::uint32_t region_id, KeptSets& sets) {
  sets.outcome.usable = agreement::agree_on_kept_choices(exchange, region, sets.outcome);
  if (exchange.rank() == 0) {
    warn_if_none_fits(sets);
  }
  const ChoiceSet* const entry = first_usable(sets);
  if (entry == nullptr && sets.pins.empty()) {
    return std::nullopt;
  }
  InstalledChoices installed;
  RegionReport& report = installed.report;
  report.region = region;
  report.problems = install_pins(region_id, sets.pins);
  if (entry != nullptr) {
    if (!differences(*entry, {sets.machines}).empty()) {
      detail::warn_once(
          "region \"" + region + "\": choices of " + entry->written +
          " were made with other versions of the library, its search, the driver, CUDA or NCCL; "
          "CONTEXTUAL_VERSION_CHECK=0 accepts them");
    }
    const auto rank = static_cast<std::size_t>(exchange.rank());
    for (const KeptChoice& choice : entry->choices) {
      if (choice.search < sets.search) {
        continue;
      }
      installed.search = std::min(installed.search, choice.search);
      if (concerns(choice, rank)) {
        lock_in(choice, region_id, choice.ranks == std::vector{rank});
      }
      if (!is_pinned(choice, sets.pins)) {
        report.problems.push_back(report_of(choice, entry->written));
        installed.more_than_pins = true;
      }
    }
  }
  LaunchRegistry::instance().note_publication(region_id);
  return installed;
}

std::vector<std::string> unusable_sets(const KeptSets& sets) {
  constexpr std::size_t most = 4;
  std::vector<std::string> unusable;
  for (std::size_t i = 0; i < sets.by_precedence.size() && unusable.size() < most; ++i) {
    const ChoiceSet& entry = sets.by_precedence[i];
    const bool whole = std::none_of(entry.choices.begin(), entry.choices.end(),
                                    [&](const KeptChoice& choice) { return choice.search < sets.search; });
    if (!sets.outcome.usable[i] || !whole) {
      unusable.push_back(to_json(entry));
    }
  }
  return unusable;
}

std::vector<agreement::StartingPoint> starting_points_of(const std::vector<std::string>& sets) {
  std::vector<agreement::StartingPoint> points;
  for (const std::string& text : sets) {
    try {
      points.push_back(storage::entry_of(text).choices);
    } catch (const std::exception&) {  // nlohmann's are of many kinds
      continue;
    }
    // The id of others may mean another config here.
    std::erase_if(points.back(), [](const KeptChoice& choice) { return !choice.meaning.empty(); });
  }
  return points;
}

}  // namespace contextual::tuning

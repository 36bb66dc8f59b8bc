#include "contextual/tuning/pins.hpp"

#include "contextual/launch/kernel_pins.hpp"

#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/error.hpp>
#include <contextual/launch_registry.hpp>

#include <algorithm>
#include <iterator>
#include <optional>

namespace contextual::tuning {
namespace {

using detail::KernelCore;
using storage::Pin;

bool is_of(const Pin& pin, const KernelCore& core) {
  const detail::KernelTraits& traits = core.traits();
  return core.alive() && pin.kernel == (traits.coupling.empty() ? traits.name : traits.coupling);
}

/// Some problem may be meant by both, and neither is meant for more than the other.
bool are_for_the_same(const Pin& one, const Pin& other) {
  const bool key = one.key && other.key ? one.key == other.key : one.key_text == other.key_text;
  const bool scope = !one.scope || !other.scope || one.scope == other.scope;
  return one.kernel == other.kernel && key && scope && one.of_every_key() == other.of_every_key();
}

std::string pinned_key_text(const Pin& pin) {
  return pin.of_every_key() ? "every key" : "key " + pin.key_text;
}

void prepare(const Pin& pin, const KernelCore& core, detail::MadeReady& made_ready) {
  const std::size_t config_id = detail::pinned_config(pin, core);
  const std::string reason = made_ready.load(core, config_id, pin.key ? &*pin.key : nullptr, pin.key_text);
  if (!reason.empty()) {
    throw InvalidArgument(pin.file + " pins kernel \"" + core.traits().name + "\" to " +
                          core.space().configs.at(config_id).to_string() +
                          ", which cannot be prepared: " + reason + "; change the pin or remove it");
  }
}

/// Fills in what the kernel knows of it, if there is one.
void describe_config(const Pin& pin, ProblemReport& report) {
  report.choice = pin.config_id.value_or(0);
  report.choice_config = pin.config.value_or(Config());
  for (const auto& core : LaunchRegistry::instance().kernels()) {
    if (is_of(pin, *core)) {
      report.choice = detail::pinned_config(pin, *core);
      report.choice_config = core->space().configs.at(report.choice);
      return;
    }
  }
  report.reason += "; there is no such kernel so far";
}

ProblemReport report_of(const Pin& pin) {
  ProblemReport report;
  report.kernel = pin.kernel;
  report.key = pin.of_every_key() ? "every key" : pin.key_text;
  report.outcome = ProblemOutcome::locked_in;
  report.reason = "pinned by " + pin.file;
  describe_config(pin, report);
  report.reused = true;
  report.pinned_by = pin.file;
  return report;
}

}  // namespace

void check_pins(const std::vector<Pin>& pins) {
  for (auto pin = pins.begin(); pin != pins.end(); ++pin) {
    const auto same =
        std::find_if(pins.begin(), pin, [&](const Pin& before) { return are_for_the_same(before, *pin); });
    if (same != pin) {
      throw InvalidArgument("kernel \"" + pin->kernel + "\", " + pinned_key_text(*pin) +
                            ", is pinned twice by " + pin->file + "; remove one of the pins");
    }
  }
}

void prepare_pins(const std::vector<Pin>& pins, detail::MadeReady& made_ready) {
  const auto kernels = LaunchRegistry::instance().kernels();
  for (const Pin& pin : pins) {
    for (const auto& core : kernels) {
      if (is_of(pin, *core)) {
        prepare(pin, *core, made_ready);
      }
    }
  }
}

std::vector<ProblemReport> install_pins(std::uint32_t region_id, const std::vector<Pin>& pins) {
  LaunchRegistry::instance().pin(region_id, pins);
  std::vector<ProblemReport> reports;
  std::transform(pins.begin(), pins.end(), std::back_inserter(reports),
                 [](const Pin& pin) { return report_of(pin); });
  return reports;
}

std::vector<std::string> take_unused_pin_warnings(std::uint32_t region_id,
                                                  const options::ResolvedOptions& options) {
  std::vector<std::string> warnings;
  if (options.communicator->rank() != 0) {
    return warnings;
  }
  const std::vector<Pin> unused = detail::PinBook::instance().take_unused(region_id);
  if (unused.empty()) {  // nearly always, and programs call it often
    return warnings;
  }
  const auto kernels = LaunchRegistry::instance().kernels();
  for (const Pin& pin : unused) {
    const bool elsewhere = std::any_of(kernels.begin(), kernels.end(), [&](const auto& core) {
      return is_of(pin, *core) && core->traits().participation != Participation::all;
    });
    if (!elsewhere) {
      warnings.push_back(
          pin.file + " pins kernel \"" + pin.kernel + "\", " + pinned_key_text(pin) +
          ", which no launch of the region has been of: the names and the key have to be those "
          "of the report, and a key of more than " +
          std::to_string(Key::capacity) + " words also needs its key_words");
    }
  }
  return warnings;
}

}  // namespace contextual::tuning

#pragma once

/// \file
/// A tuning problem for reports: what the launches know about it, and what the policy decided.

#include "contextual/launch/run_context.hpp"
#include "contextual/policy/tuning_state.hpp"
#include "contextual/record/events.hpp"

#include <contextual/config.hpp>

#include <cstddef>
#include <optional>

namespace contextual::record {

/// A slot and the state that tunes it.
struct ProblemView {
  const detail::ProblemSlot* slot = nullptr;
  const policy::ProblemRecord* record = nullptr;        ///< null before it joined
  std::optional<std::size_t> index{};                   ///< in that state; empty before it joined
  const detail::LaunchingAlternative* under = nullptr;  ///< what launches it, if that is known here
};

/// Returns a config as names and values, or an empty one if only other ranks launch the problem, and this one
/// does not know its configs.
const Config& config_of(const detail::ProblemSlot& slot, std::size_t config_id);

/// Returns the same for events.
ProblemName name_of(const detail::ProblemSlot& slot);
ConfigUse config_use(const detail::ProblemSlot& slot, std::size_t config_id);

}  // namespace contextual::record

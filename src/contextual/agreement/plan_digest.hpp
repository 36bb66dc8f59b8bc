#pragma once

/// \file
/// A digest by which ranks notice that their plans differ.

#include "contextual/policy/batch_plan.hpp"

#include <contextual/detail/config/stable_hash.hpp>

#include <cstdint>
#include <vector>

namespace contextual::agreement {

/// Returns a hash of everything in a plan of the state.
inline std::uint64_t plan_digest(const std::vector<policy::IterationPlan>& plan) {
  detail::StableHash digest;
  for (const policy::IterationPlan& iteration : plan) {
    digest.add(static_cast<std::uint64_t>(iteration.phase));
    for (const policy::Cell& cell : iteration.cells) {
      digest.add(static_cast<std::uint64_t>(cell.role))
          .add(cell.config_id)
          .add(static_cast<std::uint64_t>(cell.iteration))
          .add(std::uint64_t{cell.warmup});
    }
  }
  return digest.value();
}

}  // namespace contextual::agreement

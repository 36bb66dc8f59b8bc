#pragma once

/// \file
/// A digest by which ranks notice that their plans differ.

#include "contextual/launch/batch.hpp"

#include <contextual/detail/config/stable_hash.hpp>

#include <cstdint>

namespace contextual::agreement {

/// Returns a hash of everything in the shared state's plan of a batch.
inline std::uint64_t plan_digest(const detail::BatchPlan& plan) {
  detail::StableHash digest;
  for (const policy::IterationPlan& iteration : plan.shared) {
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

#pragma once

/// \file
/// A digest by which ranks notice that their plans differ.

#include "contextual/launch/batch.hpp"

#include <contextual/detail/config/stable_hash.hpp>

#include <cstdint>

namespace contextual::agreement {

/// Returns a hash of the shared state's plan of a batch: of the role and the config of every cell. What else
/// a plan has does not make a difference.
inline std::uint64_t plan_digest(const detail::BatchPlan& plan) {
  detail::StableHash digest;
  for (const policy::IterationPlan& iteration : plan.shared) {
    for (const policy::Cell& cell : iteration.cells) {
      digest.add(static_cast<std::uint64_t>(cell.role)).add(cell.config_id);
    }
  }
  return digest.value();
}

}  // namespace contextual::agreement

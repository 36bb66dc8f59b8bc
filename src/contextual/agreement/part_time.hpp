#pragma once

/// \file
/// The collective after a part of a region has run alone.

#include "contextual/agreement/agreed_failure.hpp"
#include "contextual/agreement/exchange.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace contextual::agreement {

/// The outcome of such a run on this rank.
struct PartOutcome {
  std::size_t turn = 0;  ///< how many such runs came before; equal on all ranks
  OwnFailure failure;
  std::optional<std::int64_t> makespan_ns;
  bool no_head_start = false;  ///< the timer wants none any more
};

struct AgreedPart {
  std::optional<std::int64_t> makespan_ns;  ///< the largest; none if a rank has none
  bool no_head_start = false;               ///< on some rank
};

/// Collective. Throws on all ranks if the part threw on one.
AgreedPart agree_on_part(Exchange& exchange, const std::string& region, const PartOutcome& outcome);

}  // namespace contextual::agreement

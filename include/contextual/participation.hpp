#pragma once

/// \file
/// Which ranks launch a kernel.

namespace contextual {

/// Which ranks launch a kernel, and whether they share its choice.
enum class Participation {
  all,    ///< every rank launches it, with the same keys in the same order; all ranks share one choice
  some,   ///< only some ranks launch it; they agree on one choice for all ranks
  local,  ///< each rank tunes it by its own times, and ranks may choose differently
};

}  // namespace contextual

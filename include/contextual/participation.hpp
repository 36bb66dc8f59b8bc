#pragma once

/// \file
/// Which ranks launch a kernel.

namespace contextual {

enum class Participation {
  all,    ///< every rank launches it, with the same keys in the same order; one choice for all
  some,   ///< absent on some ranks; one choice for all, agreed among those that launch it
  local,  ///< each rank tunes it on its own, by its own times, and may choose differently
};

}  // namespace contextual

#pragma once

/// \file
/// Which ranks launch a kernel.

namespace contextual {

/// Which ranks launch a kernel. All ranks that launch it with one key share one choice.
enum class Participation {
  all,   ///< every rank launches it, with the same keys in the same order
  some,  ///< only some ranks launch it, or ranks have other keys: each its own, with the rank in it
};

}  // namespace contextual

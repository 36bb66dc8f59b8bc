#pragma once

/// \file
/// The version of these headers. CMake reads it from here; it is written nowhere else.
///
/// Before version 1.0 a new minor version may change interfaces: `find_package(contextual 0.1)` accepts 0.1.x
/// only.

#define CONTEXTUAL_VERSION_MAJOR 0
#define CONTEXTUAL_VERSION_MINOR 1
#define CONTEXTUAL_VERSION_PATCH 0

#include <compare>

namespace contextual {

struct Version {
  int major = 0;
  int minor = 0;
  int patch = 0;

  friend constexpr auto operator<=>(const Version&, const Version&) = default;
};

/// The macros as a value, e.g. for `static_assert(contextual::version >= contextual::Version{0, 1, 0})`.
inline constexpr Version version{CONTEXTUAL_VERSION_MAJOR, CONTEXTUAL_VERSION_MINOR,
                                 CONTEXTUAL_VERSION_PATCH};

}  // namespace contextual

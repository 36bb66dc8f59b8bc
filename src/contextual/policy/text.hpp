#pragma once

/// \file
/// Figures and names in the texts of reasons. They do not depend on the locale, so that every rank writes the
/// same bytes.

#include <cstddef>
#include <string>

namespace contextual::policy {

/// Returns "12.3 %" for 0.123.
std::string percent(double fraction);

/// Returns e.g. "config-3".
std::string config_name(std::size_t config_id);

}  // namespace contextual::policy

#pragma once

/// \file
/// The few figures and names that reasons are made of. Independent of the locale, so that every rank
/// writes the same bytes.

#include <cstddef>
#include <string>

namespace contextual::policy {

/// 0.123 is "12.3 %".
std::string percent(double fraction);

/// "config-3".
std::string config_name(std::size_t config_id);

}  // namespace contextual::policy

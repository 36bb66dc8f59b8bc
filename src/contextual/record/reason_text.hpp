#pragma once

/// \file
/// The words for the reasons of policy: the same bytes on every rank, whatever the locale.

#include "contextual/policy/reason.hpp"

#include <string>

namespace contextual::record {

/// Returns e.g. "tie with config-3: the default wins"; an empty text for no reason.
std::string reason_text(const policy::Reason& reason);

}  // namespace contextual::record

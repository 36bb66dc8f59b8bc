#pragma once

#include <exception>
#include <string>

namespace contextual::detail {

/// Returns the text of any exception.
std::string exception_text(const std::exception_ptr& thrown);

}  // namespace contextual::detail

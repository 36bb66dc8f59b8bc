#pragma once

/// \file
/// UTF-8, one character at a time.

#include <cstddef>
#include <string_view>

namespace contextual::log_report {

struct Character {
  char32_t code_point = 0;
  std::size_t byte_count = 0;  ///< 0 if the bytes are not UTF-8
};

/// Returns the first character of `text`, which must not be empty.
Character first_character(std::string_view text);

}  // namespace contextual::log_report

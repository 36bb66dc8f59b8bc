#pragma once

/// \file
/// Words for people and files.

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

namespace contextual::detail {

/// Writes a digest or an id as 16 hexadecimal digits.
inline std::string hex_text(std::uint64_t number) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(number));
  return text.data();
}

}  // namespace contextual::detail

#pragma once

#include <contextual/detail/config/stable_hash.hpp>

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace contextual::agreement {

/// Writes details for a gather, on one line. Bytes that are not UTF-8 are replaced.
inline std::string details_text(const nlohmann::json& details) {
  return details.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Returns a hash for the exchange, which is the same on all ranks.
inline std::uint64_t text_digest(std::string_view text) {
  return detail::StableHash().add(text).value();
}

/// Writes a digest or an id as 16 hexadecimal digits.
inline std::string hex_text(std::uint64_t number) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(number));
  return text.data();
}

/// Reads details from a gather. Returns a discarded value if the text is not details, for example because
/// that rank is at another point of the program.
inline nlohmann::json parse_details(const std::string& text) {
  return nlohmann::json::parse(text, nullptr, false);
}

}  // namespace contextual::agreement

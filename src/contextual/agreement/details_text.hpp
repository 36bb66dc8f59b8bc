#pragma once

#include <contextual/detail/config/stable_hash.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
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

/// Reads details from a gather. Returns a discarded value if the text is not details, for example because
/// that rank is at another point of the program.
inline nlohmann::json parse_details(const std::string& text) {
  return nlohmann::json::parse(text, nullptr, false);
}

}  // namespace contextual::agreement

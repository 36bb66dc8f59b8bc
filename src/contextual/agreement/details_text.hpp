#pragma once

#include <contextual/detail/config/stable_hash.hpp>

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace contextual::agreement {

/// For a gather: one line; bytes of a user's text that are not UTF-8 are replaced.
inline std::string details_text(const nlohmann::json& details) {
  return details.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// A hash that all ranks compute alike, for the exchange.
inline std::uint64_t text_digest(std::string_view text) {
  return detail::StableHash().add(text).value();
}

/// A digest or an id: 16 digits.
inline std::string hex_text(std::uint64_t number) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(number));
  return text.data();
}

/// What another rank gathered; `discarded` when it is something else than details, as from a rank at another
/// point of the program.
inline nlohmann::json parse_details(const std::string& text) {
  return nlohmann::json::parse(text, nullptr, false);
}

}  // namespace contextual::agreement

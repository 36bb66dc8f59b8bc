#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace contextual::autotuner {

/// For a gather: one line; bytes of a user's text that are not UTF-8 are replaced.
inline std::string details_text(const nlohmann::json& details) {
  return details.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// What another rank gathered; `discarded` when it is something else than details, as from a rank at another
/// point of the program.
inline nlohmann::json parse_details(const std::string& text) {
  return nlohmann::json::parse(text, nullptr, false);
}

}  // namespace contextual::autotuner

#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace contextual::autotuner {

/// For a gather: one line; bytes of a user's text that are not UTF-8 are replaced.
inline std::string details_text(const nlohmann::json& details) {
  return details.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace contextual::autotuner

#pragma once

/// \file
/// JSON for files.

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace contextual::storage {

/// Returns the JSON in one line, or with line breaks and this indentation. What is not UTF-8, which would
/// make `dump` throw, is replaced.
inline std::string text_of(const nlohmann::json& json, int indentation = -1) {
  return json.dump(indentation, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Throws what nlohmann's parser throws, and also if an object has a field twice, of which one would be
/// passed over, or if there are more levels than in any file of a region, which would exhaust the stack when
/// written.
nlohmann::json parsed_json(std::string_view text);

}  // namespace contextual::storage

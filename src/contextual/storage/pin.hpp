#pragma once

/// \file
/// What a person has pinned in a region, as JSON. Pure.

#include "contextual/config/pin.hpp"

#include <nlohmann/json.hpp>

#include <initializer_list>
#include <string>
#include <vector>

namespace contextual::storage {

using detail::Pin;

/// Returns a digest of what is pinned, in whatever order; an empty text if nothing is.
std::string pins_digest(const std::vector<Pin>& pins);

/// Returns why no pin without the words of its key can have this text of a key, or an empty text: launches
/// are compared with the text of the key alone, and a report also writes the alternatives around a launch.
std::string key_text_problem(const std::string& key_text);

nlohmann::ordered_json json_of(const std::vector<Pin>& pins);
/// Accepts what `json_of` returns and what a person makes of it. Throws std::runtime_error, or nlohmann's
/// exceptions, for a field that is unknown, of another type or missing. `file` is for messages.
std::vector<Pin> pins_of(const nlohmann::ordered_json& json, const std::string& file);

/// Throws std::runtime_error unless it is an object with none but these fields.
void check_fields(const nlohmann::ordered_json& json, const std::string& what,
                  std::initializer_list<const char*> known);

}  // namespace contextual::storage

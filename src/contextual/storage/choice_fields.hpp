#pragma once

/// \file
/// The fields that the files of kept choices have in common, as JSON. The readers throw std::runtime_error,
/// or nlohmann's exceptions, for anything but what the writers return.

#include <contextual/key.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>

namespace contextual::storage {

inline constexpr std::size_t most_configs = 1U << 20U;

/// Of 16 hexadecimal digits.
std::uint64_t word_of(const nlohmann::ordered_json& json);

/// A list of the types and words of the key.
nlohmann::ordered_json json_of_key(const Key& key);
Key key_of(const nlohmann::ordered_json& json);

std::size_t count_of(const nlohmann::ordered_json& json, std::size_t most);

/// Returns the JSON with line breaks, and with what is not UTF-8 replaced.
std::string text_of(const nlohmann::ordered_json& json);

/// Throws what nlohmann's parser throws, and also if an object has a field twice, of which one would be
/// passed over, or if there are more levels than in any of these files, which would exhaust the stack when
/// written.
nlohmann::ordered_json parsed_json(std::string_view text);

}  // namespace contextual::storage

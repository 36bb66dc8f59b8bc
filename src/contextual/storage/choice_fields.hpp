#pragma once

/// \file
/// The fields that the files of kept choices have in common, as JSON. The readers throw std::runtime_error,
/// or nlohmann's exceptions, for anything but what the writers return.

#include <contextual/config.hpp>
#include <contextual/key.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Nothing is null.
template <typename T>
struct nlohmann::adl_serializer<std::optional<T>> {
  static void to_json(json& text, const std::optional<T>& value) { text = value ? json(*value) : json(); }
  static void from_json(const json& text, std::optional<T>& value) {
    value = text.is_null() ? std::nullopt : std::optional<T>(text.get<T>());
  }
};

namespace contextual {

/// A list of the types and words of the key.
void to_json(nlohmann::json& json, const Key& key);
void from_json(const nlohmann::json& json, Key& key);

}  // namespace contextual

namespace contextual::storage {

/// Of 16 hexadecimal digits.
std::uint64_t word_of(const nlohmann::json& json);
std::size_t count_of(const nlohmann::json& json, std::size_t most);

/// Returns the JSON in one line, or with line breaks and this indentation, with what is not UTF-8 replaced.
std::string text_of(const nlohmann::json& json, int indentation = -1);

/// Throws what nlohmann's parser throws, and also if an object has a field twice, of which one would be
/// passed over, or if there are more levels than in any of these files, which would exhaust the stack when
/// written.
nlohmann::json parsed_json(std::string_view text);

}  // namespace contextual::storage

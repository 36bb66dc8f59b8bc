#include "contextual/storage/choice_fields.hpp"

#include <contextual/detail/config/hex_text.hpp>

#include <algorithm>
#include <stdexcept>
#include <vector>

using Json = nlohmann::json;

void contextual::to_json(Json& json, const Key& key) {
  json = Json::array();
  for (std::size_t i = 0; i < key.size(); ++i) {
    json.push_back({static_cast<int>(key.type(i)), detail::hex_text(key.word(i))});
  }
}

void contextual::from_json(const Json& json, Key& key) {
  const auto& words = json.get_ref<const Json::array_t&>();
  if (words.size() > Key::capacity) {
    throw std::runtime_error("a key has more than " + std::to_string(Key::capacity) + " words");
  }
  key = {};
  for (const Json& word : words) {
    if (word.size() != 2 || key.is_digest()) {
      throw std::runtime_error("a word of a key is no pair, or follows a digest");
    }
    const std::size_t type = storage::count_of(word.at(0), static_cast<std::size_t>(Key::Type::digest));
    key.append_word(static_cast<Key::Type>(type), storage::word_of(word.at(1)));
  }
}

namespace contextual::storage {

std::uint64_t word_of(const Json& json) {
  const auto& text = json.get_ref<const std::string&>();
  if (text.size() != 16 || text.find_first_not_of("0123456789abcdef") != std::string::npos) {
    throw std::runtime_error("\"" + text + "\" is no word of 16 hexadecimal digits");
  }
  return std::stoull(text, nullptr, 16);
}

std::size_t count_of(const Json& json, std::size_t most) {
  if (!json.is_number_unsigned() || json.get<std::uint64_t>() > most) {
    throw std::runtime_error(json.dump() + " is no number from 0 to " + std::to_string(most));
  }
  return json.get<std::size_t>();
}

/// Bytes that are not UTF-8 would make `dump` throw.
std::string text_of(const Json& json, int indentation) {
  return json.dump(indentation, ' ', false, Json::error_handler_t::replace);
}

Json parsed_json(std::string_view text) {
  constexpr int deepest = 16;
  std::vector<std::vector<std::string>> fields(deepest + 2);  ///< by level, of the object that is open there
  return Json::parse(text.begin(), text.end(), [&](int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > deepest) {
      throw std::runtime_error("it has more levels than a file of kept choices");
    }
    const auto level = static_cast<std::size_t>(depth);
    if (event == Json::parse_event_t::object_start) {
      fields[level + 1].clear();
    } else if (event == Json::parse_event_t::key) {
      const auto& name = parsed.get_ref<const std::string&>();
      if (std::find(fields[level].begin(), fields[level].end(), name) != fields[level].end()) {
        throw std::runtime_error("it has the field \"" + name + "\" twice");
      }
      fields[level].push_back(name);
    }
    return true;
  });
}

}  // namespace contextual::storage

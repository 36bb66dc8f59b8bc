#include "contextual/storage/pin.hpp"

#include "contextual/storage/choice_fields.hpp"

#include <contextual/detail/config/hex_text.hpp>
#include <contextual/detail/config/stable_hash.hpp>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string_view>

bool contextual::detail::Pin::is_for(const Key& of_key, const std::string& of_text, std::uint64_t in) const {
  if (scope && *scope != in) {
    return false;
  }
  if (of_every_key() || key) {
    return !key || *key == of_key;
  }
  return !of_key.is_digest() && (key_text == of_text || of_text.starts_with(key_text + " in "));
}

namespace contextual::storage {
namespace {

constexpr std::size_t most_configs = 1U << 20U;

using Json = nlohmann::json;

/// Of 16 hexadecimal digits.
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

/// A list of the types and words of the key.
Json json_of(const Key& key) {
  Json json = Json::array();
  for (std::size_t i = 0; i < key.size(); ++i) {
    json.push_back({static_cast<int>(key.type(i)), detail::hex_text(key.word(i))});
  }
  return json;
}

Key key_of(const Json& json) {
  const auto& words = json.get_ref<const Json::array_t&>();
  if (words.size() > Key::capacity) {
    throw std::runtime_error("a key has more than " + std::to_string(Key::capacity) + " words");
  }
  Key key;
  for (const Json& word : words) {
    if (word.size() != 2 || key.is_digest()) {
      throw std::runtime_error("a word of a key is no pair, or follows a digest");
    }
    const std::size_t type = count_of(word.at(0), static_cast<std::size_t>(Key::Type::digest));
    key.append_word(static_cast<Key::Type>(type), word_of(word.at(1)));
  }
  return key;
}

/// Without what it leaves out.
Json json_of(const Pin& pin) {
  Json json{{"kernel", pin.kernel}, {"key", pin.key_text.empty() ? Json() : Json(pin.key_text)}};
  json["key_words"] = pin.key ? json_of(*pin.key) : Json();
  json["scope"] = pin.scope ? Json(detail::hex_text(*pin.scope)) : Json();
  json["config_id"] = pin.config_id ? Json(*pin.config_id) : Json();
  json["config"] = pin.config ? Json::parse(pin.config->to_json()) : Json();
  for (auto field = json.begin(); field != json.end();) {
    field = field->is_null() ? json.erase(field) : std::next(field);
  }
  return json;
}

Pin pin_of(const Json& json, const std::string& file) {
  check_fields(json, "a pin", {"kernel", "key", "key_words", "scope", "config", "config_id"});
  Pin pin{file, json.at("kernel").get<std::string>(), json.value("key", "")};
  if (json.contains("key_words")) {
    pin.key = key_of(json.at("key_words"));
  }
  if (json.contains("scope")) {
    pin.scope = word_of(json.at("scope"));
  }
  if (json.contains("config")) {
    pin.config = Config::from_json(json.at("config").dump());
  }
  if (json.contains("config_id")) {
    pin.config_id = count_of(json.at("config_id"), most_configs);
  }
  if (pin.kernel.empty() || (!pin.config && !pin.config_id)) {
    throw std::runtime_error("a pin names a kernel and its config");
  }
  if (const std::string problem = pin.key ? std::string() : key_text_problem(pin.key_text);
      !problem.empty()) {
    throw std::runtime_error(problem);
  }
  return pin;
}

/// The length of the text up to the bracket that closes its first one; all of it where none does.
std::size_t bracketed_length(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' || text[i] == '{' ? 1 : 0;
    depth -= text[i] == ')' || text[i] == '}' ? 1 : 0;
    if (depth <= 0) {
      return i + 1;
    }
  }
  return text.size();
}

}  // namespace

std::string pins_digest(const std::vector<Pin>& pins) {
  if (pins.empty()) {
    return {};
  }
  std::uint64_t digest = 0;
  for (Pin pin : pins) {
    pin.key_text = pin.key ? std::string() : pin.key_text;
    digest += detail::StableHash().add(std::string_view(text_of(json_of(pin)))).value();
  }
  return detail::hex_text(digest);
}

std::string key_text_problem(const std::string& key_text) {
  const char last = key_text.empty() ? ')' : key_text.back();
  const std::string_view rest = std::string_view(key_text).substr(bracketed_length(key_text));
  if ((last == ')' || last == '}') && !rest.starts_with(" in ")) {
    return {};
  }
  return "the key " + key_text +
         " does not end with the bracket that closes it. What a report writes behind that, an "
         "alternative, only `scope` and `key_words` can say: pin a kept set, or leave that out";
}

Json json_of(const std::vector<Pin>& pins) {
  Json list = Json::array();
  for (const Pin& pin : pins) {
    list.push_back(json_of(pin));
  }
  return list;
}

std::vector<Pin> pins_of(const Json& json, const std::string& file) {
  std::vector<Pin> pins;
  for (const Json& pin : json.get_ref<const Json::array_t&>()) {
    pins.push_back(pin_of(pin, file));
  }
  return pins;
}

void check_fields(const Json& json, const std::string& what, std::initializer_list<const char*> known) {
  if (!json.is_object()) {
    throw std::runtime_error(what + " is no object");
  }
  for (const auto& [field, value] : json.items()) {
    if (std::find(known.begin(), known.end(), field) == known.end()) {
      throw std::runtime_error(
          std::string(what).append(" has a field \"").append(field).append("\", which means nothing"));
    }
  }
}

}  // namespace contextual::storage

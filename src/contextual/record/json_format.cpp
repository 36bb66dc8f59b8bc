#include "contextual/record/json_format.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>

namespace contextual::record {
namespace {

/// As nlohmann::json writes it, without making a document first: a run of the region has a line for each of
/// its problems.
template <typename T>
std::string dumped(const T& value) {
  return nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool is_plain(char c) {
  return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

void append(std::string& json, std::string_view text) {
  if (std::all_of(text.begin(), text.end(), is_plain)) {
    json.append(1, '"').append(text).append(1, '"');
  } else {
    json += dumped(text);
  }
}

template <typename E>
void append_fields(std::string& json, const E& event);

template <typename T>
void append(std::string& json, const T& value) {
  if constexpr (std::is_enum_v<T>) {
    append(json, enum_text(value));
  } else if constexpr (std::is_same_v<T, bool>) {
    json += value ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    json += std::to_string(value);
  } else if constexpr (std::is_convertible_v<T, std::string_view>) {
    append(json, std::string_view(value));
  } else if constexpr (HasFields<T>) {
    append_fields(json.append(1, '{'), value);
    json += '}';
  } else {
    json += dumped(value);
  }
}

template <typename T>
void append(std::string& json, const std::optional<T>& value) {
  if (value) {
    append(json, *value);
  } else {
    json += "null";
  }
}

template <typename T>
void append(std::string& json, const std::vector<T>& entries) {
  json += '[';
  for (const T& entry : entries) {
    append(json, entry);
    json += ',';
  }
  if (!entries.empty()) {
    json.pop_back();
  }
  json += ']';
}

void append_name(std::string& json, std::string_view name) {
  json += json.back() == '{' ? "" : ",";
  append(json, name);
  json += ':';
}

void append(std::string& json, const Config& config) {
  json += '{';
  for (const Config::Entry& entry : config.entries()) {
    append_name(json, entry.name);
    std::visit([&](const auto& value) { append(json, value); }, entry.value);
  }
  json += '}';
}

template <typename T>
void add(std::string& json, const char* name, const T& value) {
  append_name(json, name);
  append(json, value);
}

void add(std::string& json, const char* /*name*/, const ConfigUse& config) {
  append_fields(json, config);
}

void add(std::string& json, const char* name, const ProblemName& problem) {
  add(json, name, problem.kernel);
  add(json, key_field, problem.key);
}

template <typename E>
void append_fields(std::string& json, const E& event) {
  for_each_field<E>([&](const auto& field) { add(json, field.name, event.*field.member); });
}

}  // namespace

std::string to_json_line(const Event& event) {
  std::string json = "{";
  std::visit(
      [&](const auto& body) {
        add(json, schema::event_name_field, body.event_name);
        append_fields(json, event);
        append_fields(json, body);
      },
      event.body);
  return json += '}';
}

}  // namespace contextual::record

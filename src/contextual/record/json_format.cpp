#include "contextual/record/json_format.hpp"

#include <nlohmann/json.hpp>

#include <type_traits>

namespace contextual::record {
namespace {

using Json = nlohmann::ordered_json;

template <typename E>
void add_fields(Json& json, const E& event);

template <typename T>
Json json_of(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return enum_text(value);
  } else {
    return value;
  }
}

template <typename T>
Json json_of(const std::optional<T>& value) {
  return value ? json_of(*value) : Json(nullptr);
}

Json json_of(const Config& config) {
  Json object = Json::object();
  for (const Config::Entry& entry : config.entries()) {
    std::visit([&](const auto& value) { object[entry.name] = value; }, entry.value);
  }
  return object;
}

template <HasFields T>
Json json_of(const std::vector<T>& entries) {
  Json list = Json::array();
  for (const T& entry : entries) {
    add_fields(list.emplace_back(Json::object()), entry);
  }
  return list;
}

template <typename T>
void add(Json& json, const char* name, const T& value) {
  json[name] = json_of(value);
}

void add(Json& json, const char* /*name*/, const ConfigUse& config) {
  add_fields(json, config);
}

void add(Json& json, const char* name, const ProblemName& problem) {
  json[name] = problem.kernel;
  json[key_field] = problem.key;
}

template <typename E>
void add_fields(Json& json, const E& event) {
  for_each_field<E>([&](const auto& field) { add(json, field.name, event.*field.member); });
}

}  // namespace

std::string to_json_line(const Event& event) {
  Json json;
  std::visit(
      [&](const auto& body) {
        json[schema::event_name_field] = body.event_name;
        add_fields(json, event);
        add_fields(json, body);
      },
      event.body);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace contextual::record

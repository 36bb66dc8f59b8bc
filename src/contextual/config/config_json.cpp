#include <contextual/config.hpp>
#include <contextual/error.hpp>

#include <nlohmann/json.hpp>

#include <set>
#include <variant>

namespace contextual {

namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void fail(const std::string& what) {
  throw InvalidArgument("config from JSON: " + what);
}

// The library's parser keeps one of two equal names silently; this callback sees both.
Json parse(std::string_view text) {
  std::set<std::string> names;
  const auto on_event = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::key && depth == 1 && !names.insert(parsed.get<std::string>()).second) {
      fail("parameter \"" + parsed.get<std::string>() + "\" occurs twice: remove one");
    }
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), on_event);
  } catch (const Json::exception& e) {
    fail(std::string("not valid JSON: ") + e.what());
  }
}

Value to_value(const std::string& name, const Json& json) {
  switch (json.type()) {
    case Json::value_t::boolean:
      return json.get<bool>();
    case Json::value_t::number_unsigned:
      if (const auto value = detail::to_value(json.get<std::uint64_t>())) {
        return *value;
      }
      fail("parameter \"" + name + "\" is " + json.dump() + ", which does not fit a 64-bit signed integer");
    case Json::value_t::number_integer:
      return json.get<std::int64_t>();
    case Json::value_t::number_float:
      return json.get<double>();
    case Json::value_t::string:
      return json.get<std::string>();
    default:
      fail("parameter \"" + name + "\" is " + json.type_name() + ": give a boolean, a number or a string");
  }
}

}  // namespace

std::string Config::to_json() const {
  Json json = Json::object();
  for (const Entry& entry : entries_) {
    std::visit([&](const auto& value) { json[entry.name] = value; }, entry.value);
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Config Config::from_json(std::string_view text) {
  const Json json = parse(text);
  if (!json.is_object()) {
    fail(std::string("the text is ") + json.type_name() + ", not an object such as {\"BLOCK\": 128}");
  }
  Config config;
  for (const auto& [name, value] : json.items()) {
    config.set(name, to_value(name, value));
  }
  return config;
}

}  // namespace contextual

#include "report/reading/json_fields.hpp"

#include "report/format/printable.hpp"
#include "report/reading/decode.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace contextual::log_report {
namespace {

using nlohmann::json;

/// An event needs 4: the object, its list of entries, an entry, the entry's list of numbers.
constexpr int max_depth = 16;

constexpr std::size_t max_config_size = 1'024;

/// Depth is checked before the parser sees the line, so that no later step can recurse deeply.
void check_depth(std::string_view line) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (in_string) {
      i += c == '\\' ? 1 : 0;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > max_depth) {
        throw DamagedLine("nested deeper than " + std::to_string(max_depth) + " levels");
      }
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
}

[[noreturn]] void throw_wrong(const char* name, const char* expected) {
  throw DamagedLine(std::string("\"") + name + "\" is not " + expected);
}

std::int64_t checked_number(const json& value, const char* name, std::int64_t low, std::int64_t high) {
  if (!value.is_number_integer()) {
    throw_wrong(name, "an integer");
  }
  const bool too_large =
      value.is_number_unsigned() &&
      value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const std::int64_t number = too_large ? 0 : value.get<std::int64_t>();
  if (too_large || number < low || number > high) {
    throw DamagedLine(std::string("\"") + name + "\" is out of range");
  }
  return number;
}

std::string value_text(const json& value) {
  if (value.is_string()) {
    return printable(value.get_ref<const std::string&>(), 512);
  }
  if (value.is_structured() || value.is_null()) {
    throw_wrong("config", "an object of names and plain values");
  }
  return value.dump();
}

}  // namespace

ParsedLine parse_line(std::string_view line) {
  check_depth(line);
  ParsedLine parsed;
  bool in_config = false;
  const auto keep_config_names = [&](int depth, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::key && depth == 1) {
      in_config = value.get_ref<const std::string&>() == "config";
    } else if (event == json::parse_event_t::key && depth == 2 && in_config) {
      if (parsed.config_names.size() == max_config_size) {
        throw DamagedLine("a config of more than " + std::to_string(max_config_size) + " parameters");
      }
      parsed.config_names.push_back(value.get<std::string>());
    }
    return true;
  };
  try {
    parsed.object = json::parse(line.begin(), line.end(), keep_config_names);
  } catch (const json::parse_error& error) {
    throw DamagedLine("no JSON from byte " + std::to_string(error.byte) + " on");
  } catch (const json::exception&) {
    throw DamagedLine("a number out of range");
  }
  return parsed;
}

Fields::Fields(const json& object, const std::vector<std::string>& config_names, TextPool& pool)
    : object_(&object), config_names_(&config_names), pool_(&pool) {
  if (!object.is_object()) {
    throw DamagedLine("not an object");
  }
}

const json* Fields::find(const char* name) {
  const auto found = object_->find(name);
  if (found == object_->end()) {
    return nullptr;
  }
  ++asked_for_;
  return found->is_null() ? nullptr : &*found;
}

std::optional<std::string_view> Fields::text(const char* name) {
  const json* value = find(name);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (!value->is_string()) {
    throw_wrong(name, "a string");
  }
  return pool_->text(printable(value->get_ref<const std::string&>()));
}

std::optional<std::int64_t> Fields::number(const char* name, std::int64_t low, std::int64_t high) {
  const json* value = find(name);
  return value == nullptr ? std::nullopt : std::optional(checked_number(*value, name, low, high));
}

std::optional<double> Fields::real(const char* name) {
  const json* value = find(name);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (!value->is_number()) {
    throw_wrong(name, "a number");
  }
  return value->get<double>();
}

std::optional<bool> Fields::flag(const char* name) {
  const json* value = find(name);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (!value->is_boolean()) {
    throw_wrong(name, "true or false");
  }
  return value->get<bool>();
}

std::optional<std::vector<std::int64_t>> Fields::numbers(const char* name, std::int64_t low,
                                                         std::int64_t high) {
  const json* value = find(name);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (!value->is_array()) {
    throw_wrong(name, "a list");
  }
  std::vector<std::int64_t> numbers;
  for (const json& number : *value) {
    numbers.push_back(checked_number(number, name, low, high));
  }
  return numbers;
}

void Fields::each_object(const char* name, const std::function<void(Fields&)>& use) {
  const json* value = find(name);
  if (value != nullptr && !value->is_array()) {
    throw_wrong(name, "a list");
  }
  for (std::size_t i = 0; value != nullptr && i < value->size(); ++i) {
    Fields inside((*value)[i], *config_names_, *pool_);
    use(inside);
    unknown_inside_ += inside.unknown();
  }
}

std::optional<std::string_view> Fields::config(const char* name) {
  const json* found = find(name);
  if (found == nullptr) {
    return std::nullopt;
  }
  const json& value = *found;
  if (!value.is_object()) {
    throw_wrong(name, "an object of names and plain values");
  }
  std::string text = "{";
  std::set<std::string_view> written;  // a damaged line may name a parameter, or "config", twice
  for (const std::string& parameter : *config_names_) {
    if (value.contains(parameter) && written.insert(parameter).second) {
      text +=
          (text.size() > 1 ? ", " : "") + printable(parameter, 512) + ": " + value_text(value.at(parameter));
    }
  }
  return pool_->text(printable(text + "}"));
}

std::size_t Fields::unknown() const {
  return object_->size() - std::min(asked_for_, object_->size()) + unknown_inside_;
}

}  // namespace contextual::log_report

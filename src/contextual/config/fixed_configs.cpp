#include <contextual/detail/config/fixed_configs.hpp>
#include <contextual/error.hpp>
#include <contextual/value.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace contextual::detail {
namespace {

/// An integer is read as floating point where the parameter is of that type.
bool is_same(const Value& value, const Value& wanted) {
  const bool floating_point = std::holds_alternative<double>(value);
  return floating_point ? value_as<double>(value) == value_as<double>(wanted) : value == wanted;
}

/// A number that is as precise as a float may be a member of that type, so the wanted one is rounded to it.
bool is_same_float(const Value& value, const Value& wanted) {
  const double* const number = std::get_if<double>(&value);
  const std::optional<float> rounded = value_as<float>(wanted);
  return number != nullptr && rounded && static_cast<double>(*rounded) == *number;
}

/// Returns the value of some config that is meant by `entry`, or null.
const Value* value_meant_by(const Config::Entry& entry, const SpaceView& space) {
  for (const auto compare : {&is_same, &is_same_float}) {
    for (const Config& config : space.configs) {
      const Value* const value = config.find(entry.name);
      if (value != nullptr && compare(*value, entry.value)) {
        return value;
      }
    }
  }
  return nullptr;
}

/// Returns the config with the values of the space that are meant, or nothing if one is not there.
std::optional<Config> meant_by(const Config& config, const SpaceView& space) {
  Config meant;
  for (const Config::Entry& entry : config.entries()) {
    const Value* const value = value_meant_by(entry, space);
    if (value == nullptr) {
      return std::nullopt;
    }
    meant.set(entry.name, *value);
  }
  return meant;
}

bool has_all(const Config& config, const Config& fixed) {
  const std::vector<Config::Entry>& entries = fixed.entries();
  return std::all_of(entries.begin(), entries.end(), [&](const Config::Entry& entry) {
    const Value* const value = config.find(entry.name);
    return value != nullptr && *value == entry.value;
  });
}

std::string described(const Value& value) {
  const bool is_text = std::holds_alternative<std::string>(value);
  return is_text ? "\"" + to_string(value) + "\"" : to_string(value);
}

/// The values that the parameter has in the space, each once: "64, 128".
std::string values_of(const SpaceView& space, const std::string& name) {
  std::vector<Value> values;
  std::string text;
  for (const Config& config : space.configs) {
    const Value& value = *config.find(name);
    if (std::find(values.begin(), values.end(), value) == values.end()) {
      values.push_back(value);
      text += (text.empty() ? "" : ", ") + described(value);
    }
  }
  return text;
}

/// Says what is wrong with values that no config has.
std::string reason_of(const SpaceView& space, const Config& fixed) {
  for (const Config::Entry& entry : fixed.entries()) {
    if (value_meant_by(entry, space) == nullptr) {
      const Value& first = *space.configs.front().find(entry.name);
      return "\"" + entry.name + "\" is of the type " + std::string(type_name(first)) + " with the values " +
             values_of(space, entry.name) + "; " + described(entry.value) + " (" +
             std::string(type_name(entry.value)) + ") is none of them";
    }
  }
  return "its config space has each of the values, but not all of them in one config";
}

std::string names_of(const Config& config) {
  std::string names;
  for (const Config::Entry& entry : config.entries()) {
    names += (names.empty() ? "" : ", ") + entry.name;
  }
  return names;
}

}  // namespace

FixedConfigs configs_with(const SpaceView& space, const Config& fixed, std::string_view name) {
  const Config& first = space.configs.front();  // all have the same names
  for (const Config::Entry& entry : fixed.entries()) {
    if (!first.contains(entry.name)) {
      throw InvalidArgument("tuned function \"" + std::string(name) + "\": `fixed` names the parameter \"" +
                            entry.name + "\", which its config space does not have: " + names_of(first));
    }
  }
  const std::optional<Config> meant = meant_by(fixed, space);
  FixedConfigs result;
  for (std::size_t id = 0; meant && id < space.configs.size(); ++id) {
    if (has_all(space.configs[id], *meant)) {
      result.config_ids.push_back(id);
    }
  }
  if (result.config_ids.empty()) {
    throw InvalidArgument("tuned function \"" + std::string(name) + "\": no config has " + fixed.to_string() +
                          ", as `fixed` demands: " + reason_of(space, fixed));
  }
  Config ordered;
  for (const Config::Entry& entry : space.configs[result.config_ids.front()].entries()) {
    if (fixed.contains(entry.name)) {
      ordered.set(entry.name, entry.value);
    }
  }
  result.text = ordered.to_string();
  return result;
}

std::optional<std::size_t> config_id_of(const SpaceView& space, const Config& config) {
  const std::optional<Config> meant = meant_by(config, space);
  const auto found = std::find_if(space.configs.begin(), space.configs.end(), [&](const Config& of) {
    return meant && of.size() == meant->size() && has_all(of, *meant);
  });
  return found == space.configs.end() ? std::nullopt
                                      : std::optional<std::size_t>(found - space.configs.begin());
}

}  // namespace contextual::detail

#include <contextual/detail/config/fixed_configs.hpp>
#include <contextual/error.hpp>

#include <algorithm>
#include <variant>

namespace contextual::detail {
namespace {

/// An integer is read as floating point where the parameter is of that type.
Value as_type_of(const Value& like, const Value& value) {
  const std::int64_t* const integer = std::get_if<std::int64_t>(&value);
  return integer != nullptr && std::holds_alternative<double>(like) ? Value(static_cast<double>(*integer))
                                                                    : value;
}

bool has_all(const Config& config, const Config& fixed) {
  const std::vector<Config::Entry>& entries = fixed.entries();
  return std::all_of(entries.begin(), entries.end(), [&](const Config::Entry& entry) {
    const Value* const value = config.find(entry.name);
    return value != nullptr && *value == as_type_of(*value, entry.value);
  });
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
  FixedConfigs result;
  for (std::size_t id = 0; id < space.configs.size(); ++id) {
    if (has_all(space.configs[id], fixed)) {
      result.config_ids.push_back(id);
    }
  }
  if (result.config_ids.empty()) {
    throw InvalidArgument("tuned function \"" + std::string(name) + "\": no config has " + fixed.to_string() +
                          ", as `fixed` demands");
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

}  // namespace contextual::detail

#include "contextual/agreement/space_difference.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <vector>

namespace contextual::agreement {
namespace {

using nlohmann::json;

/// What one rank has and the other one has not: "only rank 2 has 8, 16"; empty: nothing.
std::string only(std::size_t rank, const json& values, const json& other_values) {
  std::string text;
  for (const json& value : values) {
    if (std::find(other_values.begin(), other_values.end(), value) == other_values.end()) {
      text += (text.empty() ? "only rank " + std::to_string(rank) + " has " : ", ") + value.dump();
    }
  }
  return text;
}

std::string joined(const std::vector<std::string>& texts, const char* separator) {
  std::string all;
  for (const std::string& text : texts) {
    if (!text.empty()) {
      all += (all.empty() ? "" : separator) + text;
    }
  }
  return all;
}

}  // namespace

json parameters_of(const SpaceView& space) {
  json parameters = json::object();
  std::set<std::string> seen;  // a space may have many thousand configs
  for (const Config& config : space.configs) {
    const json values = json::parse(config.to_json());
    for (const auto& [name, value] : values.items()) {
      if (seen.insert(name + "=" + value.dump()).second) {
        parameters[name].push_back(value);
      }
    }
  }
  return parameters;
}

std::string space_difference(std::size_t rank, const json& parameters, std::size_t other_rank,
                             const json& other_parameters) {
  std::vector<std::string> differences;
  for (const auto& [name, values] : parameters.items()) {
    if (!other_parameters.contains(name)) {
      differences.push_back("only rank " + std::to_string(rank) + " has a parameter " + name);
      continue;
    }
    const json& other_values = other_parameters.at(name);
    const std::string text =
        joined({only(rank, values, other_values), only(other_rank, other_values, values)}, ", ");
    if (!text.empty()) {
      differences.push_back(std::string("parameter ").append(name).append(": ").append(text));
    } else if (values != other_values) {
      differences.push_back("parameter " + name + ": rank " + std::to_string(rank) + " has " + values.dump() +
                            ", rank " + std::to_string(other_rank) + " has " + other_values.dump());
    }
  }
  for (const auto& [name, values] : other_parameters.items()) {
    if (!parameters.contains(name)) {
      differences.push_back("only rank " + std::to_string(other_rank) + " has a parameter " + name);
    }
  }
  return differences.empty()
             ? "every parameter has the same values, but their combinations differ: look at the "
               "constraints and at the default"
             : joined(differences, "; ");
}

}  // namespace contextual::agreement

#include "cache/choices_text.hpp"

#include <nlohmann/json.hpp>

namespace contextual::cache_tool {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json json_of(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json json_of(const Config& config) {
  return Json::parse(config.to_json());
}

Json json_of(const KeptSet& set) {
  Json configs = Json::array();
  for (const KeptConfig& config : set.configs) {
    configs.push_back({{"kernel", config.kernel},
                       {"key", config.key},
                       {"config", json_of(config.config)},
                       {"config_id", config.config_id},
                       {"configs", config.config_count},
                       {"reason", config.reason},
                       {"belongs_to", config.belongs_to},
                       {"time_ns", json_of(config.time_ns)},
                       {"time_spread_ns", json_of(config.time_spread_ns)}});
  }
  Json differences = Json::array();
  for (const MachineDifference& difference : KeptChoices::differences(set)) {
    differences.push_back({{"rank", difference.rank},
                           {"part", difference.part},
                           {"then", json_of(difference.then)},
                           {"now", json_of(difference.now)},
                           {"version", difference.version},
                           {"counts", difference.counts}});
  }
  Json infeasible = Json::array();
  for (const KeptInfeasible& known : set.infeasible) {
    infeasible.push_back({{"what", known.what}, {"reason", known.reason}});
  }
  return {{"region", set.region},
          {"id", set.id},
          {"file", set.file.string()},
          {"written", set.written},
          {"machines", set.machines},
          {"makespan_ns", json_of(set.makespan_ns)},
          {"makespan_spread_ns", json_of(set.makespan_spread_ns)},
          {"standing", standing_text(set)},
          {"differences", std::move(differences)},
          {"configs", std::move(configs)},
          {"infeasible", std::move(infeasible)}};
}

Json json_of(const PinnedConfig& pin) {
  return {{"region", pin.region},
          {"file", pin.file.string()},
          {"kernel", pin.kernel},
          {"key", pin.key.empty() ? Json() : Json(pin.key)},
          {"config", pin.config ? json_of(*pin.config) : Json()},
          {"config_id", json_of(pin.config_id)}};
}

}  // namespace

std::string json_text(const KeptChoices::Contents& contents) {
  Json sets = Json::array();
  for (const KeptSet& set : contents.sets) {
    sets.push_back(json_of(set));
  }
  Json pins = Json::array();
  for (const PinnedConfig& pin : contents.pins) {
    pins.push_back(json_of(pin));
  }
  return Json({{"sets", std::move(sets)}, {"pins", std::move(pins)}, {"problems", contents.problems}})
             .dump(1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace contextual::cache_tool

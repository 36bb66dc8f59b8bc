#include "contextual/tuning/cached_config_text.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>

namespace contextual::tuning {

std::string text_of(const std::optional<CachedConfig>& cached) {
  if (!cached) {
    return {};
  }
  nlohmann::json json{{"config", cached->config.to_json()}};
  if (cached->time_ns) {
    json["time_ns"] = *cached->time_ns;
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<CachedConfig> cached_config_of(const std::string& text) {
  if (text.empty()) {
    return std::nullopt;
  }
  const nlohmann::json json = nlohmann::json::parse(text);
  CachedConfig cached{Config::from_json(json.at("config").get<std::string>())};
  if (json.contains("time_ns")) {
    cached.time_ns = json.at("time_ns").get<std::int64_t>();
  }
  return cached;
}

}  // namespace contextual::tuning

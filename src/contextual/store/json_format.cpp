#include "contextual/store/json_format.hpp"

#include "contextual/store/progress.hpp"

#include <nlohmann/json.hpp>

namespace contextual::store {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json nullable(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json json_of(const Config& config) {
  Json object = Json::object();
  for (const Config::Entry& entry : config.entries()) {
    std::visit([&](const auto& value) { object[entry.name] = value; }, entry.value);
  }
  return object;
}

template <typename E>
Json begin(const char* event, const E& e) {
  return {{"event", event}, {"run_id", e.run_id}, {"rank", e.rank}, {"region", e.region}};
}

template <typename E>
void add_config(Json& json, const E& e) {
  json["kernel"] = e.kernel;
  json["key"] = e.key;
  json["config_id"] = e.config_id;
  json["config"] = json_of(e.config);
}

Json json_of(const RunStart& e) {
  Json json = begin("run_start", e);
  json["rank_count"] = e.ranks;
  json["group"] = e.group;
  json["process_rank"] = e.process_rank;
  json["options"] = e.options;
  json["time_iso8601"] = e.time_iso8601;
  return json;
}

Json json_of(const Hello& e) {
  Json json = begin("hello", e);
  json["tuning_id"] = e.tuning_id;
  json["timer"] = e.timer;
  json["timer_bias_ns"] = nullable(e.timer_bias_ns);
  return json;
}

Json json_of(const LaunchRow& e) {
  Json json = begin("launch", e);
  json["phase"] = e.phase;
  json["tuning_iteration"] = e.tuning_iteration;
  add_config(json, e);
  json["role"] = e.role;
  json["step_iteration"] = e.step_iteration;
  json["local_time_ns"] = nullable(e.local_ns);
  json["agreed_time_ns"] = nullable(e.agreed_ns);
  json["makespan_ns"] = nullable(e.makespan_ns);
  json["local_makespan_ns"] = nullable(e.local_makespan_ns);
  json["status"] = e.status;
  json["detail"] = e.detail;
  json["config_average_ns"] = nullable(e.average_ns);
  return json;
}

Json json_of(const DeviceConditions& e) {
  Json json = begin("device", e);
  json["phase"] = e.phase;
  json["tuning_iteration"] = e.tuning_iteration;
  json["iteration_count"] = e.iteration_count;
  json["device"] = e.device;
  json["sm_clock_mhz"] = nullable(e.sm_clock_mhz);
  json["memory_clock_mhz"] = nullable(e.memory_clock_mhz);
  json["temperature_celsius"] = nullable(e.temperature_celsius);
  json["power_watts"] = nullable(e.power_watts);
  json["slowed_by"] = e.slowed_by;
  json["disturbance"] = e.disturbance;
  return json;
}

Json json_of(const ConfigSummary& e) {
  Json json = begin("config_summary", e);
  add_config(json, e);
  json["sample_count"] = e.sample_count;
  json["centre_ns"] = e.centre_ns;
  json["spread_ns"] = e.spread_ns;
  return json;
}

Json json_of(const Rejected& e) {
  Json json = begin("rejected", e);
  json["phase"] = e.phase;
  json["tuning_iteration"] = e.tuning_iteration;
  add_config(json, e);
  json["reason"] = e.reason;
  return json;
}

Json json_of(const Choice& e) {
  Json json = begin("choice", e);
  add_config(json, e);
  json["latency_ns"] = nullable(e.latency_ns);
  json["reason"] = e.reason;
  json["status"] = e.status;
  return json;
}

Json json_of(const Contest& e) {
  Json json = begin("contest", e);
  json["kind"] = e.kind;
  json["pass"] = e.pass;
  json["kernel"] = e.kernel;
  json["key"] = e.key;
  json["entries"] = Json::array();
  for (const ContestEntry& entry : e.entries) {
    json["entries"].push_back({{"name", entry.name},
                               {"config_id", entry.config_id},
                               {"round_count", entry.round_count},
                               {"makespan_ns", entry.makespan_ns},
                               {"spread_ns", entry.spread_ns},
                               {"gain_ns", nullable(entry.gain_ns)},
                               {"chosen", entry.chosen}});
  }
  json["reason"] = e.reason;
  return json;
}

Json json_of(const Warning& e) {
  Json json = begin("warning", e);
  json["text"] = e.text;
  return json;
}

Json json_of(const Progress& e) {
  Json json = begin("progress", e);
  json["phase"] = e.phase;
  json["iterations_done"] = e.iterations_done;
  json["iterations_expected"] = e.iterations_expected;
  json["problem_count"] = e.problem_count;
  json["elapsed_ns"] = e.elapsed_ns;
  json["estimated_left_ns"] =
      nullable(estimate_left_ns(e.iterations_done, e.iterations_expected, e.elapsed_ns));
  return json;
}

Json json_of(const Blocked& e) {
  Json json = begin("blocked", e);
  json["activity"] = e.activity;
  json["phase"] = e.phase;
  json["tuning_iteration"] = e.tuning_iteration;
  add_config(json, e);
  json["in_launch"] = e.in_launch;
  json["since_iso8601"] = e.since_iso8601;
  json["blocked_ns"] = e.blocked_ns;
  json["action"] = e.action;
  return json;
}

Json json_of(const RunEnd& e) {
  Json json = begin("run_end", e);
  json["status"] = e.status;
  json["error"] = e.error;
  json["error_type"] = e.error_type;
  json["blamed_ranks"] = e.blamed_ranks;
  json["phase"] = e.phase;
  json["tuning_iteration"] = e.tuning_iteration;
  json["problem_count"] = e.problem_count;
  json["walk_iterations"] = e.walk_iterations;
  json["finals_iterations"] = e.finals_iterations;
  json["retakes"] = e.retakes;
  json["rejected_count"] = e.rejected_count;
  json["elapsed_ns"] = e.elapsed_ns;
  return json;
}

}  // namespace

std::string to_json_line(const Event& event) {
  const Json json = std::visit([](const auto& e) { return json_of(e); }, event);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace contextual::store

#include "decode.hpp"

#include "json_fields.hpp"

namespace contextual::log_report {
namespace {

/// Ranks, counts of ranks and config ids beyond this are damage, not a large machine.
constexpr std::int64_t max_id = 1'000'000'000;

ConfigName config_name(Fields& fields) {
  const std::string_view kernel = fields.text("kernel");
  const std::string_view key = fields.text("key");
  ConfigName name;
  name.problem = kernel.empty() ? nullptr : fields.pool().problem(kernel, key);
  name.id = fields.number("config_id", 0, max_id);
  name.text = fields.config("config");
  return name;
}

RunStart run_start(Fields& fields) {
  RunStart event;
  event.rank_count = fields.number("rank_count", 1, max_id);
  event.process_rank = fields.number_or("process_rank", -1, 0, max_id);
  event.group = fields.text_or("group", "");
  event.options = fields.text_or("options", "");
  event.time_iso8601 = fields.text_or("time_iso8601", "");
  return event;
}

Hello hello(Fields& fields) {
  Hello event;
  event.tuning_id = fields.text("tuning_id");
  event.timer = fields.text_or("timer", "");
  fields.optional_number("timer_bias_ns", -Fields::no_limit);
  return event;
}

DeviceConditions device_conditions(Fields& fields) {
  DeviceConditions event;
  fields.text_or("phase", "");
  fields.number_or("tuning_iteration", 0, 0);
  fields.number_or("iteration_count", 0, 0);
  event.device = fields.number("device", 0, max_id);
  event.sm_clock_mhz = fields.optional_number("sm_clock_mhz", 0).value_or(-1);
  fields.optional_number("memory_clock_mhz", 0);
  fields.optional_number("temperature_celsius", -Fields::no_limit);
  fields.optional_number("power_watts", 0);
  event.slowed_by = fields.text_or("slowed_by", "");
  event.disturbance = fields.text_or("disturbance", "");
  return event;
}

Role role_of(std::string_view text) {
  return text == "warmup"      ? Role::warmup
         : text == "repeat"    ? Role::repeat
         : text == "candidate" ? Role::candidate
         : text == "best"      ? Role::best
                               : Role::other;
}

Launch launch(Fields& fields) {
  Launch event;
  event.phase = fields.text("phase");
  event.tuning_iteration = fields.number("tuning_iteration", 0);
  event.config = config_name(fields);
  event.role = role_of(fields.text("role"));
  event.step_iteration = fields.number_or("step_iteration", 0, 0);
  event.local_ns = fields.optional_number("local_time_ns", 0);
  event.agreed_ns = fields.optional_number("agreed_time_ns", 0);
  event.makespan_ns = fields.optional_number("makespan_ns", 0);
  event.local_makespan_ns = fields.optional_number("local_makespan_ns", 0);
  event.status = fields.text_or("status", "ok");
  event.detail = fields.text_or("detail", "");
  fields.optional_real("config_average_ns");  // config_summary has it, with its spread
  if (event.config.problem == nullptr) {
    throw DamagedLine("a launch without a kernel");
  }
  return event;
}

ConfigSummary config_summary(Fields& fields) {
  ConfigSummary event;
  event.config = config_name(fields);
  event.sample_count = fields.number_or("sample_count", 0, 0);
  event.centre_ns = fields.optional_real("centre_ns");
  event.spread_ns = fields.optional_real("spread_ns");
  return event;
}

Rejected rejected(Fields& fields) {
  Rejected event;
  event.phase = fields.text_or("phase", "");
  event.tuning_iteration = fields.number_or("tuning_iteration", 0, 0);
  event.config = config_name(fields);
  event.reason = fields.text_or("reason", "");
  return event;
}

Choice choice(Fields& fields) {
  Choice event;
  event.config = config_name(fields);
  event.latency_ns = fields.optional_real("latency_ns");
  event.reason = fields.text_or("reason", "");
  event.status = fields.text_or("status", "locked_in");
  return event;
}

ContestEntry contest_entry(Fields& fields) {
  ContestEntry entry;
  entry.name = fields.text_or("name", "");
  entry.config_id = fields.number_or("config_id", 0, 0, max_id);
  entry.round_count = fields.number_or("round_count", 0, 0);
  entry.makespan_ns = fields.optional_real("makespan_ns");
  entry.spread_ns = fields.optional_real("spread_ns");
  entry.gain_ns = fields.optional_real("gain_ns");
  entry.chosen = fields.flag_or("chosen", false);
  return entry;
}

Contest contest(Fields& fields) {
  Contest event;
  event.kind = fields.text("kind");
  event.pass = fields.number_or("pass", 0, 0);
  const std::string_view kernel = fields.text_or("kernel", "");
  const std::string_view key = fields.text_or("key", "");
  event.problem = kernel.empty() ? nullptr : fields.pool().problem(kernel, key);
  fields.each_object("entries", [&](Fields& entry) { event.entries.push_back(contest_entry(entry)); });
  event.reason = fields.text_or("reason", "");
  return event;
}

Progress progress(Fields& fields) {
  Progress event;
  event.phase = fields.text_or("phase", "");
  event.iterations_done = fields.number_or("iterations_done", 0, 0);
  fields.number_or("iterations_expected", 0, 0);
  fields.number_or("problem_count", 0, 0);
  event.elapsed_ns = fields.number_or("elapsed_ns", 0, 0);
  fields.optional_number("estimated_left_ns", 0);
  return event;
}

Blocked blocked(Fields& fields) {
  Blocked event;
  event.activity = fields.text("activity");
  event.phase = fields.text_or("phase", "");
  event.tuning_iteration = fields.number_or("tuning_iteration", -1, -1);
  event.config = config_name(fields);
  event.in_launch = fields.flag_or("in_launch", false);
  event.since_iso8601 = fields.text_or("since_iso8601", "");
  event.blocked_ns = fields.number_or("blocked_ns", 0, 0);
  event.action = fields.text_or("action", "");
  return event;
}

RunEnd run_end(Fields& fields) {
  RunEnd event;
  event.status = fields.text("status");
  event.error = fields.text_or("error", "");
  event.error_type = fields.text_or("error_type", "");
  event.blamed_ranks = fields.numbers_or_empty("blamed_ranks", 0, max_id);
  event.phase = fields.text_or("phase", "");
  event.tuning_iteration = fields.number_or("tuning_iteration", -1, -1);
  fields.number_or("problem_count", 0, 0);
  event.walk_iterations = fields.number_or("walk_iterations", 0, 0);
  event.finals_iterations = fields.number_or("finals_iterations", 0, 0);
  event.retakes = fields.number_or("retakes", 0, 0);
  event.rejected_count = fields.number_or("rejected_count", 0, 0);
  event.elapsed_ns = fields.number_or("elapsed_ns", 0, 0);
  return event;
}

std::optional<EventBody> body_of(std::string_view name, Fields& fields) {
  if (name == "launch")
    return launch(fields);
  if (name == "run_start")
    return run_start(fields);
  if (name == "hello")
    return hello(fields);
  if (name == "device")
    return device_conditions(fields);
  if (name == "config_summary")
    return config_summary(fields);
  if (name == "rejected")
    return rejected(fields);
  if (name == "choice")
    return choice(fields);
  if (name == "contest")
    return contest(fields);
  if (name == "warning")
    return Warning{fields.text_or("text", "")};
  if (name == "progress")
    return progress(fields);
  if (name == "blocked")
    return blocked(fields);
  if (name == "run_end")
    return run_end(fields);
  return std::nullopt;
}

}  // namespace

DecodedLine decode_line(std::string_view line, TextPool& pool) {
  const ParsedLine parsed = parse_line(line);
  Fields fields(parsed.object, parsed.config_names, pool);
  const std::string_view name = fields.text("event");
  Event event;
  event.run_id = fields.text("run_id");
  event.rank = fields.number("rank", 0, max_id);
  event.region = fields.text("region");
  auto body = body_of(name, fields);
  if (!body) {
    return {};
  }
  event.body = std::move(*body);
  return {std::move(event), fields.unknown()};
}

}  // namespace contextual::log_report

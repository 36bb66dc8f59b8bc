#include "contextual/store/text_format.hpp"

#include "contextual/store/progress.hpp"

#include <cstdio>
#include <string_view>
#include <utility>

namespace contextual::store {
namespace {

/// Control characters as escapes; everything else, also UTF-8, as it is.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (c == '\n') {
      line += "\\n";
    } else if (c == '\t') {
      line += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      char code[8];
      std::snprintf(code, sizeof code, "\\x%02x", static_cast<unsigned char>(c));
      line += code;
    } else {
      line += c;
    }
  }
  return line;
}

/// A line that grows by " | name: value".
class Line {
 public:
  Line(int rank, const std::string& region) {
    text_ = "[rank-" + std::to_string(rank) + "] func: " + one_line(region);
  }
  Line& add(std::string_view name, std::string_view value) {
    text_ += " | " + std::string(name) + ": " + one_line(value);
    return *this;
  }
  Line& add(std::string_view name, std::int64_t value) { return add(name, std::to_string(value)); }
  Line& add_if(bool wanted, std::string_view name, std::string_view value) {
    return wanted ? add(name, value) : *this;
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string id_text(std::size_t config_id) {
  return std::to_string(config_id);
}

template <typename E>
Line problem_line(const E& event) {
  Line line(event.rank, event.region);
  line.add("kernel", event.kernel).add("key", event.key);
  return line;
}

std::string text_of(const RunStart& e) {
  return Line(e.rank, e.region)
      .add("run", e.run_id)
      .add("ranks", e.ranks)
      .add("group", e.group)
      .add("process-rank", e.process_rank)
      .add("start", e.time_iso8601)
      .add("options", e.options)
      .take();
}

std::string text_of(const Hello& e) {
  Line line(e.rank, e.region);
  line.add("run", e.run_id).add("tuning", e.tuning_id).add("timer", e.timer);
  if (e.timer_bias_ns) {
    line.add("timer-bias", format_latency(static_cast<double>(*e.timer_bias_ns)));
  }
  return line.take();
}

std::string text_of(const DeviceConditions& e) {
  Line line(e.rank, e.region);
  line.add("phase", e.phase).add("tuning-iter", e.tuning_iteration).add("device", e.device);
  const auto add = [&line](std::string_view name, const std::optional<int>& value, const char* unit) {
    if (value) {
      line.add(name, std::to_string(*value) + unit);
    }
  };
  add("SM-clock", e.sm_clock_mhz, " MHz");
  add("memory-clock", e.memory_clock_mhz, " MHz");
  add("temperature", e.temperature_celsius, " C");
  add("power", e.power_watts, " W");
  line.add_if(!e.slowed_by.empty(), "slowed by", e.slowed_by);
  line.add_if(!e.disturbance.empty(), "does not count", e.disturbance);
  return line.take();
}

std::string text_of(const LaunchRow& e) {
  Line line = problem_line(e);
  line.add("phase", e.phase).add("tuning-iter", e.tuning_iteration);
  line.add("config-id", id_text(e.config_id)).add("config", e.config.to_string());
  const bool measured = e.role != "best";
  line.add_if(measured, "measure-iter", std::to_string(e.step_iteration));
  line.add_if(e.role != "repeat", "role", e.role);
  line.add_if(e.status != "ok", "status", e.status);
  line.add_if(!e.detail.empty(), "detail", e.detail);
  if (e.average_ns) {
    line.add("config-" + id_text(e.config_id) + " average latency", format_latency(*e.average_ns));
  }
  return line.take();
}

std::string text_of(const ConfigSummary& /*e*/) {
  return {};
}

std::string text_of(const Rejected& e) {
  return problem_line(e)
      .add("phase", e.phase)
      .add("tuning-iter", e.tuning_iteration)
      .add("config-id", id_text(e.config_id))
      .add("config", e.config.to_string())
      .add("rejected", e.reason)
      .take();
}

std::string text_of(const Choice& e) {
  return problem_line(e)
      .add_if(e.status != "locked_in", "status", e.status)
      .add("best-config-id", id_text(e.config_id))
      .add("best-config", e.config.to_string())
      .add("best-latency", e.latency_ns ? format_latency(*e.latency_ns) : "not measured")
      .add("reason", e.reason)
      .take();
}

std::string text_of(const Contest& e) {
  Line line(e.rank, e.region);
  line.add_if(!e.kernel.empty(), "kernel", e.kernel).add_if(!e.kernel.empty(), "key", e.key);
  line.add("phase", "finals").add("contest", e.kind).add("pass", e.pass);
  for (const ContestEntry& entry : e.entries) {
    std::string text = format_latency(entry.makespan_ns) + " +- " + format_latency(entry.spread_ns);
    text += entry.gain_ns ? ", gain " + format_latency(*entry.gain_ns) : ", incumbent";
    line.add(entry.name, text + (entry.chosen ? ", chosen" : ""));
  }
  return line.add("reason", e.reason).take();
}

std::string text_of(const Warning& e) {
  return Line(e.rank, e.region).add("warning", e.text).take();
}

std::string text_of(const Progress& e) {
  const auto left = estimate_left_ns(e.iterations_done, e.iterations_expected, e.elapsed_ns);
  return Line(e.rank, e.region)
      .add("phase", e.phase)
      .add("progress", std::to_string(e.iterations_done) + "/" + std::to_string(e.iterations_expected))
      .add("problems", id_text(e.problem_count))
      .add("elapsed", format_duration(e.elapsed_ns))
      .add_if(left.has_value(), "left", "about " + format_duration(left.value_or(0)))
      .take();
}

std::string text_of(const Blocked& e) {
  Line line(e.rank, e.region);
  line.add("blocked in", e.activity).add("phase", e.phase).add("tuning-iter", e.tuning_iteration);
  if (!e.kernel.empty()) {
    line.add("kernel", e.kernel).add("key", e.key);
    line.add("config-id", id_text(e.config_id)).add("config", e.config.to_string());
    line.add("launch", e.in_launch ? "under way" : "returned");
  }
  return line.add("since", e.since_iso8601)
      .add("for", format_duration(e.blocked_ns))
      .add("action", e.action)
      .take();
}

std::string ranks_text(const std::vector<int>& ranks) {
  std::string text;
  for (const int rank : ranks) {
    text += (text.empty() ? "" : ", ") + std::to_string(rank);
  }
  return text;
}

std::string text_of(const RunEnd& e) {
  Line line(e.rank, e.region);
  line.add("run", e.run_id).add("end", e.status);
  if (e.status != "ok") {
    line.add("error", e.error).add("type", e.error_type);
    line.add_if(!e.blamed_ranks.empty(), "ranks to look at", ranks_text(e.blamed_ranks));
    line.add("phase", e.phase).add("tuning-iter", e.tuning_iteration);
  }
  return line.add("problems", id_text(e.problem_count))
      .add("walk", e.walk_iterations)
      .add("finals", e.finals_iterations)
      .add("retakes", e.retakes)
      .add("rejected configs", id_text(e.rejected_count))
      .add("elapsed", format_duration(e.elapsed_ns))
      .take();
}

}  // namespace

std::string to_text(const Event& event) {
  return std::visit([](const auto& e) { return text_of(e); }, event);
}

}  // namespace contextual::store

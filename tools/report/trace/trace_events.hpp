#pragma once

/// \file
/// The list of events of a trace.

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>

namespace contextual::log_report {

using TraceJson = nlohmann::ordered_json;

inline constexpr double ns_per_us = 1000;

/// Collects events of the Trace Event Format, which Perfetto and chrome://tracing read. Times are written in
/// microseconds. A process is what the viewer shows as a group, a thread is a row of it.
class TraceEvents {
 public:
  /// Processes and threads are shown in the order in which they are added. Both ids count from 1.
  std::size_t add_process(const std::string& name);
  std::size_t add_thread(std::size_t process, const std::string& name);

  /// Adds a complete event. One that overlaps another one of its thread must lie within it.
  void add_slice(std::size_t process, std::size_t thread, const std::string& name, double begin_ns,
                 double end_ns, TraceJson details);
  /// Adds an event without length, which the viewer draws across the process.
  void add_mark(std::size_t process, const std::string& name, double at_ns, TraceJson details);

  TraceJson take() { return std::move(events_); }

 private:
  void add_name(const char* what, std::size_t process, std::size_t thread, const std::string& name);

  TraceJson events_ = TraceJson::array();
  std::size_t processes_ = 0;
  std::size_t threads_ = 0;
};

}  // namespace contextual::log_report

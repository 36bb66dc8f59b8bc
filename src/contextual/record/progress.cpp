#include "contextual/record/progress.hpp"

#include <algorithm>
#include <cstdio>

namespace contextual::record {
namespace {

std::string with_unit(const char* format, double value, const char* unit) {
  char text[48];
  std::snprintf(text, sizeof text, format, value);
  return std::string(text) + " " + unit;
}

/// Three digits at most: below ten one decimal.
std::string short_number(double value, const char* unit) {
  return with_unit(value < 9.95 ? "%.1f" : "%.0f", value, unit);
}

}  // namespace

std::optional<std::int64_t> estimate_left_ns(std::int64_t iterations_done, std::int64_t iterations_expected,
                                             std::int64_t elapsed_ns) {
  if (iterations_done <= 0 || elapsed_ns < 0) {
    return std::nullopt;
  }
  const std::int64_t left = std::max<std::int64_t>(iterations_expected - iterations_done, 0);
  const double per_iteration = static_cast<double>(elapsed_ns) / static_cast<double>(iterations_done);
  return static_cast<std::int64_t>(per_iteration * static_cast<double>(left));
}

std::string format_duration(std::int64_t duration_ns) {
  const double ns = static_cast<double>(std::max<std::int64_t>(duration_ns, 0));
  if (ns < 999.5) {
    return with_unit("%.0f", ns, "ns");
  }
  if (ns < 999.5e3) {
    return short_number(ns / 1e3, "us");
  }
  if (ns < 999.5e6) {
    return short_number(ns / 1e6, "ms");
  }
  if (ns < 119.5e9) {
    return short_number(ns / 1e9, "s");
  }
  const std::int64_t seconds = (duration_ns + 500'000'000) / 1'000'000'000;
  if (seconds < 7200) {
    return std::to_string(seconds / 60) + " min " + std::to_string(seconds % 60) + " s";
  }
  const std::int64_t minutes = seconds / 60;
  return std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
}

std::string format_latency(double latency_ns) {
  return with_unit("%.4g", latency_ns / 1e6, "ms");
}

std::string format_progress(std::string_view region, const Progress& progress) {
  const std::int64_t expected = std::max(progress.iterations_expected, progress.iterations_done);
  std::string text = "[contextual] " + std::string(region) + ": " + std::string(to_string(progress.phase)) +
                     " " + std::to_string(progress.iterations_done) + " of at most " +
                     std::to_string(expected) + " | " + std::to_string(progress.problem_count) +
                     (progress.problem_count == 1 ? " problem" : " problems") + " | " +
                     format_duration(progress.elapsed_ns);
  if (const auto left = estimate_left_ns(progress.iterations_done, expected, progress.elapsed_ns)) {
    text += ", at most " + format_duration(*left) + " left";
  }
  return text;
}

}  // namespace contextual::record

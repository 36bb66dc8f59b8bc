#include "contextual/record/quantities.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace contextual::record {
namespace {

/// The time with a unit in which it has at most three digits, or s. Has a decimal below `one_decimal`, and
/// two below `two_decimals`, but no fraction of a ns.
std::string scaled(double time_ns, double one_decimal, double two_decimals) {
  constexpr std::array<std::pair<double, const char*>, 4> units{
      {{1.0, " ns"}, {1e3, " us"}, {1e6, " ms"}, {1e9, " s"}}};
  std::size_t unit = 0;
  while (unit + 1 < units.size() && time_ns >= 999.5 * units[unit].first) {
    ++unit;
  }
  const double number = time_ns / units[unit].first;
  return formatted(unit == 0 || number >= one_decimal ? "%.0f"
                   : number >= two_decimals           ? "%.1f"
                                                      : "%.2f",
                   number) +
         units[unit].second;
}

}  // namespace

std::string formatted(const char* format, double number) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), format, number);
  return text.data();
}

std::string format_duration(std::int64_t duration_ns) {
  if (static_cast<double>(duration_ns) < 119.5e9) {
    return scaled(static_cast<double>(std::max<std::int64_t>(duration_ns, 0)), 9.95, 0);
  }
  const std::int64_t seconds = (duration_ns + 500'000'000) / 1'000'000'000;
  if (seconds < 7200) {
    return std::to_string(seconds / 60) + " min " + std::to_string(seconds % 60) + " s";
  }
  const std::int64_t minutes = seconds / 60;
  return std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
}

std::string format_latency(double latency_ns) {
  return formatted("%.4g ms", latency_ns / 1e6);
}

std::string short_time(double time_ns) {
  return scaled(time_ns, 99.95, 9.995);
}

std::string short_percent(double fraction) {
  return std::round(100 * fraction) == 0 ? "0 %" : percent(fraction, 0);
}

std::string percent(double fraction, int decimals) {
  constexpr int most_decimals = 6;
  std::array<char, 48> text{};
  do {
    std::snprintf(text.data(), text.size(), "%+.*f %%", decimals, 100 * fraction);
  } while (fraction > -1 && std::atof(text.data()) <= -100 && ++decimals <= most_decimals);
  return text.data();
}

KernelMetrics metrics_of(const KernelWork& work, double time_ns) {
  return time_ns > 0 ? compute_metrics(work, std::chrono::duration<double, std::nano>(time_ns))
                     : KernelMetrics{};
}

std::string rates_text(const KernelMetrics& metrics) {
  std::string text;
  if (metrics.teraflops_per_second) {
    text = formatted("%.4g TFLOP/s", *metrics.teraflops_per_second);
  }
  if (metrics.gigabytes_per_second) {
    text += (text.empty() ? "" : ", ") + formatted("%.4g GB/s", *metrics.gigabytes_per_second);
  }
  return text;
}

std::optional<std::int64_t> estimate_left_ns(std::int64_t iterations_done, std::int64_t iterations_expected,
                                             std::int64_t elapsed_ns) {
  if (iterations_done <= 0 || elapsed_ns < 0) {
    return std::nullopt;
  }
  const std::int64_t left = std::max<std::int64_t>(iterations_expected - iterations_done, 0);
  const double per_iteration = static_cast<double>(elapsed_ns) / static_cast<double>(iterations_done);
  return static_cast<std::int64_t>(per_iteration * static_cast<double>(left));
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

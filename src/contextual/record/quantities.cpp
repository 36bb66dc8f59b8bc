#include "contextual/record/quantities.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace contextual::record {
namespace {

std::string number_text(double number, std::chars_format format, int precision) {
  std::array<char, 400> text{};  // more than the largest number has digits
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number, format, precision);
  return error == std::errc{} ? std::string(text.data(), end) : "?";
}

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
  return fixed(number, unit == 0 || number >= one_decimal ? 0
                       : number >= two_decimals           ? 1
                                                          : 2) +
         units[unit].second;
}

}  // namespace

std::string fixed(double number, int decimals) {
  return number_text(number, std::chars_format::fixed, decimals);
}

std::string with_digits(double number, int digits) {
  return number_text(number, std::chars_format::general, digits);
}

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
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
  return with_digits(latency_ns / 1e6, 4) + " ms";
}

std::string short_time(double time_ns) {
  return scaled(time_ns, 99.95, 9.995);
}

std::string short_percent(double fraction) {
  return std::round(100 * fraction) == 0 ? "0 %" : percent(fraction, 0);
}

std::string share(double fraction) {
  return fixed(100 * fraction, 1) + " %";
}

std::string percent(double fraction, int decimals) {
  constexpr int most_decimals = 6;
  std::string number = fixed(100 * fraction, decimals);
  while (fraction > -1 && number.starts_with("-100") && decimals < most_decimals) {
    number = fixed(100 * fraction, ++decimals);
  }
  return (std::signbit(fraction) ? "" : "+") + number + " %";
}

KernelMetrics metrics_of(const KernelWork& work, double time_ns) {
  return time_ns > 0 ? compute_metrics(work, std::chrono::duration<double, std::nano>(time_ns))
                     : KernelMetrics{};
}

std::string rates_text(const KernelMetrics& metrics) {
  std::string text;
  if (metrics.teraflops_per_second) {
    text = with_digits(*metrics.teraflops_per_second, 4) + " TFLOP/s";
  }
  if (metrics.gigabytes_per_second) {
    text += (text.empty() ? "" : ", ") + with_digits(*metrics.gigabytes_per_second, 4) + " GB/s";
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

}  // namespace contextual::record

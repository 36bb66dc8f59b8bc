#include "report/format/quantities.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace contextual::log_report {
namespace {

std::string formatted(const char* format, double value) {
  std::array<char, 64> digits{};
  std::snprintf(digits.data(), digits.size(), format, value);
  return digits.data();
}

}  // namespace

std::string duration_text(double ns) {
  struct Unit {
    double ns;
    const char* name;
  };
  static constexpr std::array<Unit, 4> units{{{1e9, " s"}, {1e6, " ms"}, {1e3, " us"}, {1, " ns"}}};
  if (!std::isfinite(ns)) {
    return "?";
  }
  const double size = std::abs(ns);
  if (size >= 1e13) {
    return formatted("%.3g", ns / 1e9) + " s";
  }
  for (const Unit& unit : units) {
    const double value = ns / unit.ns;
    const double digits = size / unit.ns;
    if (digits >= 0.9995 || unit.ns == 1) {
      const char* format = digits >= 999.5   ? "%.0f"
                           : digits >= 99.95 ? "%.1f"
                           : digits >= 9.995 ? "%.2f"
                                             : "%.3f";
      return formatted(unit.ns == 1 ? "%.0f" : format, value) + unit.name;
    }
  }
  return "?";
}

std::string percent_text(double fraction) {
  if (!std::isfinite(fraction)) {
    return "?";
  }
  const double percent = fraction * 100;
  return formatted(std::abs(percent) < 1'000 ? "%+.1f" : "%+.3g", percent) + " %";
}

std::string factor_text(double factor) {
  if (!std::isfinite(factor)) {
    return "?";
  }
  return formatted(std::abs(factor) < 100 ? "%.1f" : std::abs(factor) < 1e6 ? "%.0f" : "%.3g", factor) + " x";
}

std::string rate_text(const std::optional<double>& rate) {
  if (!rate) {
    return "";
  }
  return std::isfinite(*rate) ? formatted("%.4g", *rate) : "?";
}

std::string count_text(std::uint64_t count, std::string_view singular, std::string_view plural) {
  const std::string many = plural.empty() ? std::string(singular) + "s" : std::string(plural);
  return std::to_string(count) + " " + (count == 1 ? std::string(singular) : many);
}

}  // namespace contextual::log_report

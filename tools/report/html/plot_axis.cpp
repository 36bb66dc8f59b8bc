#include "report/html/plot_axis.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace contextual::log_report {
namespace {

/// From this ratio on, small values would be indistinguishable on a linear axis.
constexpr double logarithmic_from = 30;

/// A bound that rounding cannot pass.
constexpr std::size_t max_ticks = 32;

/// Differences of values up to this one are finite.
constexpr double largest = 1e300;

/// 1, 2 or 5 times a power of ten, at least `value`.
double round_up(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= value * (1 - 1e-9)) {
      return factor * power;
    }
  }
  return 10 * power;
}

}  // namespace

Axis::Axis(double low, double high, double begin, double end, Scale scale)
    : low_(low), high_(high), begin_(begin), end_(end) {
  if (!std::isfinite(low_) || !std::isfinite(high_) || low_ > high_) {
    low_ = 0;
    high_ = 1;
  }
  low_ = std::clamp(low_, -largest, largest);
  high_ = std::clamp(high_, -largest, largest);
  if (high_ - low_ <= std::abs(high_) * 1e-9) {
    const double margin = high_ == 0 ? 1 : std::abs(high_) * 0.05;
    low_ -= margin;
    high_ += margin;
  }
  logarithmic_ = scale == Scale::fitting && low_ > 0 && high_ / low_ > logarithmic_from;
}

double Axis::scaled(double value) const {
  return logarithmic_ ? std::log10(std::max(value, low_)) : value;
}

double Axis::position(double value) const {
  const double inside = std::clamp(std::isfinite(value) ? value : low_, low_, high_);
  const double share = (scaled(inside) - scaled(low_)) / (scaled(high_) - scaled(low_));
  return begin_ + share * (end_ - begin_);
}

std::vector<double> Axis::ticks(int count) const {
  return logarithmic_ ? logarithmic_ticks(count) : linear_ticks(count);
}

std::vector<double> Axis::logarithmic_ticks(int count) const {
  std::vector<double> values;
  const double decades = std::log10(high_ / low_);
  const double first = std::floor(std::log10(low_));
  const double step = std::max(1.0, std::ceil(decades / count));
  for (double power = first; std::pow(10.0, power) <= high_ && values.size() < max_ticks; power += step) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * std::pow(10.0, power);
      if (value >= low_ && value <= high_ && (factor == 1.0 || decades < 2)) {
        values.push_back(value);
      }
    }
  }
  return values;
}

std::vector<double> Axis::linear_ticks(int count) const {
  std::vector<double> values;
  const double step = round_up((high_ - low_) / count);
  const double first = std::ceil(low_ / step - 1e-9);
  for (std::size_t i = 0; i < max_ticks; ++i) {
    const double value = (first + static_cast<double>(i)) * step;
    if (value > high_ + step * 1e-9) {
      break;
    }
    values.push_back(value);
  }
  return values;
}

}  // namespace contextual::log_report

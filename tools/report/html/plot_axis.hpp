#pragma once

/// \file
/// From values to positions on a plot.

#include <cstdint>
#include <vector>

namespace contextual::log_report {

enum class Scale : std::uint8_t {
  linear,
  fitting,  ///< logarithmic where the values span much, else linear
};

/// Maps values to positions, linear or, where they span much, logarithmic. Values outside are clamped.
class Axis {
 public:
  /// `low` <= `high` are the values to show, `begin` and `end` their positions. Not finite or equal values
  /// give an axis of some width around them.
  Axis(double low, double high, double begin, double end, Scale scale);

  double position(double value) const;
  bool logarithmic() const { return logarithmic_; }

  /// Round values inside the axis, about `count` of them.
  std::vector<double> ticks(int count) const;

 private:
  double scaled(double value) const;
  std::vector<double> logarithmic_ticks(int count) const;
  std::vector<double> linear_ticks(int count) const;

  double low_;
  double high_;
  double begin_;
  double end_;
  bool logarithmic_ = false;
};

}  // namespace contextual::log_report

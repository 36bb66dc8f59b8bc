#pragma once

/// \file
/// The axis of a plot.

#include <cstdint>
#include <vector>

namespace contextual::log_report {

enum class Scale : std::uint8_t {
  linear,
  fitting,  ///< logarithmic if the values span a wide range, else linear
};

/// Maps values to positions, linearly or logarithmically. Values outside of the axis are clamped.
class Axis {
 public:
  /// `low` and `high`, with `low` <= `high`, are the values to show, `begin` and `end` their positions. If
  /// they are equal or not finite, the axis spans some width around them.
  Axis(double low, double high, double begin, double end, Scale scale);

  double position(double value) const;
  bool logarithmic() const { return logarithmic_; }

  /// Returns about `count` round values inside the axis.
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

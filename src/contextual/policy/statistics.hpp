#pragma once

/// \file
/// Robust statistics over a few samples. Pure.

#include <contextual/statistic.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace contextual::policy {

using contextual::Statistic;

struct Summary {
  std::size_t count = 0;
  double centre_ns = 0;          ///< by the statistic
  double spread_ns = 0;          ///< 1.4826 x median absolute deviation: a robust standard deviation
  double standard_error_ns = 0;  ///< of the centre
};

/// `samples` may be empty (all zero then) and may hold negative values (differences).
Summary summarize(std::span<const std::int64_t> samples, Statistic statistic);

}  // namespace contextual::policy

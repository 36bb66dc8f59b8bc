#pragma once

/// \file
/// What the examples print of a tuning run, within 120 columns.

#include <contextual/options.hpp>
#include <contextual/report.hpp>

#include <functional>
#include <string>
#include <vector>

namespace examples {

/// How much is printed of a tuning run, beyond a line for each choice and one on the region.
struct PrintedDetail {
  bool why = false;          ///< the walk, in a short table, and the reasons
  bool whole_table = false;  ///< every tuning iteration
};

/// What `detail` says. In the short table, tuning iterations in which no kernel changes its config share a
/// row, and those of the search are left out.
void print_report(const contextual::RegionReport& region, const PrintedDetail& detail);

/// `text`, whose lines may be longer, each continued by an indented line.
void print_wrapped(const std::string& text);

/// Wall times of one region in one way of running it.
struct Times {
  std::vector<double> ms;

  /// At least one time. `q` in [0, 1].
  double quantile(double q) const;
  void print(const std::string& what) const;
};

/// Runs a region with defaults and tuned in turn, so that both see the same machine, and prints both medians
/// on a line that begins with `title`. `run_ms` runs it once in mode `off` or `use` and returns its time; a
/// first round warms up.
void compare_in_turn(const std::string& title, int rounds, const PrintedDetail& detail,
                     const std::function<double(contextual::Mode)>& run_ms);

}  // namespace examples

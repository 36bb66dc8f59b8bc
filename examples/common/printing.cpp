#include "common/printing.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <iostream>
#include <sstream>

namespace examples {

namespace {

constexpr std::size_t columns = 120;

/// The config of a cell, without its iteration.
std::string config_of(const contextual::RegionReport& region, std::size_t row, std::size_t problem) {
  const std::string text = region.cell_text(row, problem);
  return text.substr(0, text.find(" ("));
}

bool same_row(const contextual::RegionReport& region, std::size_t a, std::size_t b) {
  for (std::size_t problem = 0; problem < region.problems.size(); ++problem) {
    if (config_of(region, a, problem) != config_of(region, b, problem)) {
      return false;
    }
  }
  return region.table[a].phase == region.table[b].phase;
}

void print_short_table(const contextual::RegionReport& region) {
  for (std::size_t problem = 0; problem < region.problems.size(); ++problem) {
    std::printf("kernel-%zu: %s %s\n", problem, region.problems[problem].kernel.c_str(),
                region.problems[problem].key.c_str());
  }
  constexpr std::size_t first_column = 13;
  constexpr std::size_t cell = 11;
  const std::size_t width = first_column + region.problems.size() * (cell + 3);
  const char* separator = width <= columns ? " | " : " ";
  std::printf("\n%-13s", "Tuning-Iter");
  for (std::size_t problem = 0; problem < region.problems.size(); ++problem) {
    std::printf("%skernel-%-4zu", separator, problem);
  }
  std::printf("\n");
  for (std::size_t begin = 0, end = 0; begin < region.table.size(); begin = end) {
    for (end = begin + 1; end < region.table.size() && same_row(region, begin, end);) {
      ++end;
    }
    if (region.table[begin].phase == contextual::Phase::search) {
      continue;  // hundreds of short rows; --whole-table and the logs have them
    }
    std::string iterations = region.table[begin].iteration;
    if (end - begin > 1) {
      iterations += " to " + region.table[end - 1].iteration;
    }
    std::printf("%-13s", iterations.c_str());
    for (std::size_t problem = 0; problem < region.problems.size(); ++problem) {
      std::printf("%s%-11s", separator, config_of(region, begin, problem).c_str());
    }
    std::printf("\n");
  }
  std::printf("(%lld tuning iterations of the search are left out)\n\n",
              static_cast<long long>(region.search_iterations));
}

}  // namespace

void print_wrapped(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::string indent(std::min(line.find_first_not_of(' '), line.size()) + 4, ' ');
    while (line.size() > columns) {
      std::size_t space = line.rfind(' ', columns);
      if (space == std::string::npos || space < indent.size()) {
        space = columns;
      }
      std::printf("%s\n", line.substr(0, space).c_str());
      const std::size_t rest = std::min(line.find_first_not_of(' ', space), line.size());
      line = indent + line.substr(rest);
    }
    std::printf("%s\n", line.c_str());
  }
}

void print_report(const contextual::RegionReport& region, const PrintedDetail& detail) {
  if (region.table.empty()) {
    std::printf(
        "Nothing was tuned: an earlier process kept the choices, or CONTEXTUAL_MODE is off or use.\n");
  } else if (detail.whole_table) {
    std::cout << region.table_text() << "\n";
  } else if (detail.why) {
    print_short_table(region);
  }
  std::cout << region.to_string(detail.why ? contextual::Detail::why : contextual::Detail::choices);
}

double Times::quantile(double q) const {
  std::vector<double> sorted = ms;
  std::sort(sorted.begin(), sorted.end());
  return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1))];
}

void Times::print(const std::string& what) const {
  std::printf("  %-10s median %7.3f ms, middle half %7.3f to %7.3f ms, fastest %7.3f ms\n", what.c_str(),
              quantile(0.5), quantile(0.25), quantile(0.75), quantile(0.0));
}

void compare_in_turn(const std::string& title, int rounds, const PrintedDetail& detail,
                     const std::function<double(contextual::Mode)>& run_ms) {
  Times defaults;
  Times tuned;
  for (int round = 0; round <= rounds; ++round) {
    const double default_ms = run_ms(contextual::Mode::off);
    const double tuned_ms = run_ms(contextual::Mode::use);
    if (round > 0) {
      defaults.ms.push_back(default_ms);
      tuned.ms.push_back(tuned_ms);
    }
  }
  std::printf("%s, %d runs each, in turn: defaults %.3f ms, tuned %.3f ms, %.3f times as fast\n",
              title.c_str(), rounds, defaults.quantile(0.5), tuned.quantile(0.5),
              defaults.quantile(0.5) / tuned.quantile(0.5));
  if (detail.why) {
    defaults.print("defaults");
    tuned.print("tuned");
  }
}

}  // namespace examples

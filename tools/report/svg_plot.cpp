#include "svg_plot.hpp"

#include "html_text.hpp"
#include "plot_axis.hpp"
#include "svg_marks.hpp"
#include "wording.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace contextual::log_report {
namespace {

constexpr std::size_t configs_in_plot = 48;
constexpr std::size_t samples_in_row = 64;
constexpr std::size_t points_in_plot = 1'200;
constexpr double largest_label = 1e12;  ///< of an iteration; no run has as many

/// "30 ms", without digits that say nothing.
std::string tick_text(double ns) {
  std::string text = duration_text(ns);
  const std::size_t point = text.find('.');
  const std::size_t unit = text.find(' ');
  if (point == std::string::npos || unit == std::string::npos || point > unit) {
    return text;
  }
  const std::size_t last = text.find_last_not_of('0', unit - 1);
  return text.erase(last == point ? point : last + 1, unit - (last == point ? point : last + 1));
}

/// Vertical grid lines with times below.
std::string time_grid(const Axis& axis, double top, double bottom) {
  std::string markup;
  for (const double tick : axis.ticks(4)) {
    const double x = axis.position(tick);
    const bool at_edge = x > plot_width - 24;
    markup +=
        line(x, top, x, bottom, "grid") + text_at(at_edge ? plot_width : x, bottom + 13, tick_text(tick),
                                                  at_edge ? "text-anchor=\"end\"" : "text-anchor=\"middle\"");
  }
  return markup;
}

std::string config_title(const ConfigResult& config) {
  std::string text = "config-" + std::to_string(config.id) + " " + shorten(config.text, 200);
  if (!config.samples_ns.empty()) {
    text += ": " + duration_text(config.median_ns) + " +- " + duration_text(config.spread_ns) + ", " +
            count_text(config.samples_ns.size(), "sample");
  }
  const std::string status = config_status(config);
  return element("title", escaped(text + (status.empty() ? "" : ", " + shorten(status, 200))));
}

std::string config_row(const ConfigResult& config, const Axis& axis, double top, double label_width) {
  const double y = top + row_height / 2;
  std::string markup = config_title(config);
  markup += rectangle(0, top, plot_width, row_height, config.chosen ? "row chosen" : "row");
  markup += text_at(label_width - 8, y + 4,
                    "config-" + std::to_string(config.id) + (config.id == 0 ? " default" : ""),
                    "text-anchor=\"end\"");
  if (config.samples_ns.empty() || config.rejected) {
    return markup +
           text_at(label_width + 8, y + 4, config.rejected ? "rejected" : "no samples", "class=\"note\"");
  }
  const std::size_t step = config.samples_ns.size() / samples_in_row + 1;
  for (std::size_t i = 0; i < config.samples_ns.size(); i += step) {
    markup += circle(axis.position(config.samples_ns[i]), y, 2.5, "sample");
  }
  markup += line(axis.position(config.median_ns - config.spread_ns), y,
                 axis.position(config.median_ns + config.spread_ns), y, "spread");
  return markup + circle(axis.position(config.median_ns), y, 4.5, config.chosen ? "median chosen" : "median");
}

struct Point {
  double x = 0;
  double y = 0;
  const Iteration* iteration = nullptr;
};

std::vector<Point> points_of(const RunView& view) {
  std::vector<Point> points;
  for (const Iteration& iteration : view.iterations) {
    if (iteration.makespan_ns && *iteration.makespan_ns > 0) {
      points.push_back(
          {static_cast<double>(iteration.number), static_cast<double>(*iteration.makespan_ns), &iteration});
    }
  }
  if (points.size() <= points_in_plot) {
    return points;
  }
  std::vector<Point> kept;  // of each stretch the shortest and the longest, so that no outlier is lost
  const std::size_t stretch = points.size() / (points_in_plot / 2) + 1;
  for (std::size_t begin = 0; begin < points.size(); begin += stretch) {
    const auto first = points.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = points.begin() + static_cast<std::ptrdiff_t>(std::min(begin + stretch, points.size()));
    const auto [low, high] =
        std::minmax_element(first, last, [](const Point& a, const Point& b) { return a.y < b.y; });
    kept.push_back(*low);
    if (high != low) {
      kept.push_back(*high);
    }
  }
  return kept;
}

std::string phase_class(std::string_view phase) {
  return phase == "walk" ? "walk" : phase == "finals" ? "finals" : phase == "final" ? "final" : "other";
}

}  // namespace

std::string config_plot(const ProblemResult& problem) {
  double low = 0;
  double high = 0;
  for (const ConfigResult& config : problem.configs) {
    for (const double sample : config.samples_ns) {
      low = high == 0 ? sample : std::min(low, sample);
      high = std::max(high, sample);
    }
  }
  if (high <= 0) {
    return "";
  }
  constexpr double label_width = 112;
  const Axis narrow(low, high, 0, 1, true);
  const double margin = narrow.logarithmic() ? 0 : (high - low) * 0.05;
  const Axis axis(low - margin, high + margin, label_width + 10, plot_width - 14, true);
  const std::vector<std::size_t> shown = configs_shown(problem, configs_in_plot);
  const double bottom = row_height * static_cast<double>(shown.size()) + 4;
  std::string markup;
  for (std::size_t row = 0; row < shown.size(); ++row) {
    markup += element("g",
                      config_row(problem.configs[shown[row]], axis, 2 + row_height * static_cast<double>(row),
                                 label_width),
                      "class=\"mark\"") +
              "\n";
  }
  markup = time_grid(axis, 2, bottom) + markup;
  std::string caption = "Agreed time per config" + std::string(axis.logarithmic() ? ", logarithmic" : "");
  if (shown.size() < problem.configs.size()) {
    caption +=
        ", the fastest " + std::to_string(shown.size()) + " of " + std::to_string(problem.configs.size());
  }
  return figure("configs", shown.size(), caption, bottom + 20, markup,
                legend_entry("key median", "median") + legend_entry("key spread", "spread") +
                    legend_entry("key sample", "samples") + legend_entry("key chosen", "chosen"));
}

std::string region_plot(const RunView& view) {
  const std::vector<Point> points = points_of(view);
  if (points.empty()) {
    return "";
  }
  constexpr double height = 240;
  constexpr double left = 64;
  constexpr double bottom = height - 30;
  const auto [low, high] = std::minmax_element(points.begin(), points.end(),
                                               [](const Point& a, const Point& b) { return a.y < b.y; });
  const Axis wide(low->y, high->y, 0, 1, true);
  const Axis y(wide.logarithmic() ? low->y : 0, high->y, bottom, 12, true);
  const Axis x(points.front().x, points.back().x, left + 8, plot_width - 12, false);
  std::string markup;
  for (const double tick : y.ticks(4)) {
    markup += line(left, y.position(tick), plot_width, y.position(tick), "grid") +
              text_at(left - 6, y.position(tick) + 4, tick_text(tick), "text-anchor=\"end\"");
  }
  for (const double tick : x.ticks(6)) {
    if (tick == std::floor(tick) && tick < largest_label) {
      markup += text_at(x.position(tick), bottom + 16, std::to_string(static_cast<std::int64_t>(tick)),
                        "text-anchor=\"middle\"");
    }
  }
  std::set<std::string> phases;
  for (const Point& point : points) {
    const std::string phase = phase_class(point.iteration->phase);
    phases.insert(phase);
    const std::string title = "iteration " + std::to_string(point.iteration->number) + ", " +
                              std::string(point.iteration->phase) + ": " + duration_text(point.y);
    markup += element("g",
                      element("title", escaped(title)) + circle(x.position(point.x), y.position(point.y),
                                                                phase == "final" ? 5 : 3, "point " + phase),
                      "class=\"mark\"") +
              "\n";
  }
  std::string legend;
  for (const char* phase : {"walk", "finals", "final", "other"}) {
    legend += phases.contains(phase) ? legend_entry(std::string("key ") + phase, phase) : "";
  }
  return figure(
      "region", points.size(),
      "The region's time in each tuning iteration" + std::string(y.logarithmic() ? ", logarithmic" : ""),
      height, markup, legend);
}

}  // namespace contextual::log_report

#include "report/format/quantities.hpp"
#include "report/html/plot_axis.hpp"
#include "report/html/plots.hpp"
#include "report/html/svg_marks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

namespace contextual::log_report {
namespace {

constexpr std::size_t points_in_plot = 1'200;
constexpr double largest_label = 1e12;  ///< of an iteration; no run has as many
constexpr double height = 240;
constexpr double left = 64;
constexpr double bottom = height - 30;

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

/// The times begin at 0 unless they span too much for that.
Axis time_axis(const std::vector<Point>& points) {
  const auto [low, high] = std::minmax_element(points.begin(), points.end(),
                                               [](const Point& a, const Point& b) { return a.y < b.y; });
  const bool logarithmic = Axis(low->y, high->y, 0, 1, Scale::fitting).logarithmic();
  return Axis(logarithmic ? low->y : 0, high->y, bottom, 12, Scale::fitting);
}

std::string grid(const Axis& x, const Axis& y) {
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
  return markup;
}

std::string point_mark(const Point& point, const Axis& x, const Axis& y) {
  const Phase phase = point.iteration->phase;
  const std::string name(to_string(phase));
  return mark(
      "iteration " + std::to_string(point.iteration->number) + ", " + name + ": " + duration_text(point.y),
      circle(x.position(point.x), y.position(point.y), phase == Phase::final_run ? 5 : 3, "point " + name));
}

std::string legend(const std::vector<Point>& points) {
  std::set<Phase> phases;
  for (const Point& point : points) {
    phases.insert(point.iteration->phase);
  }
  std::string markup;
  for (const Phase phase : phases) {
    const std::string name(to_string(phase));
    markup += legend_entry("key " + name, name);
  }
  return markup;
}

}  // namespace

std::string region_plot(const RunView& view) {
  const std::vector<Point> points = points_of(view);
  if (points.empty()) {
    return "";
  }
  const Axis x(points.front().x, points.back().x, left + 8, plot_width - 12, Scale::linear);
  const Axis y = time_axis(points);
  std::string markup = grid(x, y);
  for (const Point& point : points) {
    markup += point_mark(point, x, y);
  }
  return figure("region", points.size(),
                "The region's time by tuning iteration" + std::string(y.logarithmic() ? ", logarithmic" : ""),
                height, markup, legend(points));
}

}  // namespace contextual::log_report

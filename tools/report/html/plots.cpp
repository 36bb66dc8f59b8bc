#include "report/html/html_report.hpp"
#include "report/html/svg.hpp"
#include "report/wording/sections.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace contextual::log_report {
namespace {

constexpr std::size_t rows_in_plot = 48;
constexpr std::size_t infeasible_in_plot = 12;
constexpr std::size_t samples_in_row = 64;
constexpr std::size_t label_columns = 80;
constexpr double row_height = 30;
constexpr std::string_view at_begin = "text-anchor=\"start\"";
constexpr std::string_view at_middle = "text-anchor=\"middle\"";
constexpr std::string_view at_end = "text-anchor=\"end\"";

/// The label of a tick, without needless digits, e.g. "30 ms".
std::string tick_text(double ns) {
  std::string text = duration_text(ns);
  const std::size_t unit = text.find(' ');
  if (text.find('.') < unit) {
    const std::size_t last = text.find_last_not_of('0', unit - 1);
    text.erase(text[last] == '.' ? last : last + 1, unit - (text[last] == '.' ? last : last + 1));
  }
  return text;
}

/// Something that has taken a time: its values above, its times below.
struct PlotRow {
  std::string label{};
  std::string title{};
  std::vector<double> samples_ns{};
  double centre_ns = 0;
  double spread_ns = 0;
  bool chosen = false;
  std::string without{};  ///< why there are no times; empty if there are
};

void draw(Svg& svg, const PlotRow& row, const Axis& axis, double top) {
  const double y = top + 20;
  svg.begin_mark(row.title);
  svg.rectangle(0, top, plot_width, row_height, row.chosen ? "row chosen" : "row");
  svg.text(4, top + 11, shorten(row.label, label_columns));
  if (!row.without.empty()) {
    svg.text(12, y + 4, shorten(row.without, label_columns), "class=\"note\"");
  } else {
    const std::size_t step = row.samples_ns.size() / samples_in_row + 1;
    for (std::size_t i = 0; i < row.samples_ns.size(); i += step) {
      svg.circle(axis.position(row.samples_ns[i]), y, 2.5, "sample");
    }
    svg.line(axis.position(row.centre_ns - row.spread_ns), y, axis.position(row.centre_ns + row.spread_ns), y,
             "spread");
    svg.circle(axis.position(row.centre_ns), y, 4.5, row.chosen ? "median chosen" : "median");
  }
  svg.end_mark();
}

/// Empty without times.
std::string row_plot(const std::string& kind, std::string caption, const std::vector<PlotRow>& rows,
                     const char* centre_name) {
  double low = 0;
  double high = 0;
  bool any_samples = false;
  for (const PlotRow& row : rows) {
    std::vector<double> times_ns = row.samples_ns;
    any_samples = any_samples || !times_ns.empty();
    times_ns.insert(times_ns.end(), {row.centre_ns - row.spread_ns, row.centre_ns + row.spread_ns});
    for (const double time_ns : times_ns) {
      low = high == 0 || (time_ns > 0 && time_ns < low) ? time_ns : low;
      high = std::max(high, time_ns);
    }
  }
  if (high <= 0) {
    return "";
  }
  const Axis axis(low, high, 12, plot_width - 14);
  const double bottom = row_height * static_cast<double>(rows.size()) + 4;
  Svg svg;
  for (const Axis::Tick& tick : axis.ticks(4)) {
    constexpr double edge = 36;
    svg.line(tick.position, 2, tick.position, bottom, "grid");
    svg.text(tick.position, bottom + 13, tick_text(tick.value),
             tick.position < edge                ? at_begin
             : tick.position > plot_width - edge ? at_end
                                                 : at_middle);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    draw(svg, rows[i], axis, 2 + row_height * static_cast<double>(i));
  }
  svg.legend("median", centre_name);
  svg.legend("spread", "spread");
  if (any_samples) {
    svg.legend("sample", "samples");
  }
  svg.legend("chosen", "chosen");
  caption += axis.logarithmic() ? ", logarithmic" : "";
  return svg.figure(kind, caption, bottom + 20);
}

struct Point {
  double x = 0;
  double y = 0;
  const Iteration* iteration = nullptr;
};

bool lower(const Point& a, const Point& b) {
  return a.y < b.y;
}

/// At most about 1,200.
std::vector<Point> points_of(const RunView& view) {
  constexpr std::size_t stretches = 600;
  std::vector<Point> points;
  for (const Iteration& iteration : view.iterations) {
    if (*iteration.makespan_ns > 0) {
      points.push_back(
          {static_cast<double>(iteration.number), static_cast<double>(*iteration.makespan_ns), &iteration});
    }
  }
  std::vector<Point> kept;  // of each stretch the shortest and the longest, so that no outlier is lost
  const std::size_t whole = points.size() > 2 * stretches ? points.size() / stretches + 1 : 1;
  const auto stretch = static_cast<std::ptrdiff_t>(whole);
  for (auto first = points.begin(); first != points.end();) {
    const auto last = points.end() - first > stretch ? first + stretch : points.end();
    const auto [low, high] = std::minmax_element(first, last, lower);
    kept.push_back(*low);
    if (high != low) {
      kept.push_back(*high);
    }
    first = last;
  }
  return kept;
}

}  // namespace

std::string config_plot(const ProblemResult& problem) {
  const std::vector<std::size_t> shown = configs_shown(problem, rows_in_plot);
  std::vector<PlotRow> rows;
  for (const std::size_t i : shown) {
    const ConfigResult& config = problem.configs[i];
    const std::string status = config_status(config);
    PlotRow row{.label = config_label(config) + (config.id == 0 ? " (default)" : ""),
                .title = "config-" + std::to_string(config.id) + " " + std::string(config.text.all),
                .chosen = config.chosen,
                .without = config.rejected             ? "rejected"
                           : config.samples_ns.empty() ? "no samples"
                                                       : ""};
    if (!config.samples_ns.empty()) {
      row.samples_ns = config.samples_ns;
      row.centre_ns = config.median_ns;
      row.spread_ns = config.spread_ns;
      row.title += ": " + time_text(config.median_ns, config.spread_ns) + ", " +
                   count_text(config.samples_ns.size(), "sample");
    }
    row.title += (status.empty() ? "" : ", ") + status;
    rows.push_back(std::move(row));
  }
  const std::string count =
      ", the fastest " + std::to_string(shown.size()) + " of " + std::to_string(problem.configs.size());
  return row_plot(
      "configs", "Own time of each config in the walk" + (shown.size() < problem.configs.size() ? count : ""),
      rows, "median");
}

std::string search_plot(const SearchView& search, const std::vector<ProblemResult>& problems) {
  if (search.measured.size() < 2) {
    return "";
  }
  const std::vector<std::size_t> shown = measured_shown(search, rows_in_plot);
  std::vector<PlotRow> rows;
  for (const std::size_t i : shown) {
    const MeasuredView& each = search.measured[i];
    const std::string standing = standing_text(search, each);
    rows.push_back({.label = set_label(search, each.config_ids(), problems) +
                             (standing.empty() ? "" : " (" + standing + ")"),
                    .title = set_text(search, each.config_ids()) + ": " +
                             time_text(each.makespan_ns, each.measured->spread_ns) +
                             (standing.empty() ? "" : "; " + standing),
                    .centre_ns = each.makespan_ns,
                    .spread_ns = each.measured->spread_ns.value_or(0),
                    .chosen = each.measured->standing == Standing::choice});
  }
  for (std::size_t i = 0; i < std::min(search.infeasible.size(), infeasible_in_plot); ++i) {
    const InfeasibleAssignment& each = *search.infeasible[i];
    rows.push_back({.label = set_label(search, each.config_ids, problems),
                    .title = set_text(search, each.config_ids) + ": " + infeasible_text(each),
                    .without = infeasible_text(each)});
  }
  const std::string count =
      ", " + std::to_string(shown.size()) + " of " + std::to_string(search.measured.size());
  return row_plot(
      "search",
      "The region's time with each measured set" + (shown.size() < search.measured.size() ? count : ""), rows,
      "mean");
}

std::string region_plot(const RunView& view) {
  constexpr double height = 240;
  constexpr double left = 64;
  constexpr double bottom = height - 30;
  const std::vector<Point> points = points_of(view);
  if (points.empty()) {
    return "";
  }
  const auto [low, high] = std::minmax_element(points.begin(), points.end(), lower);
  // The times begin at 0 unless they span too much for that.
  const bool logarithmic = Axis(low->y, high->y, 0, 1).logarithmic();
  const Axis x(0, points.back().x, left + 8, plot_width - 12);
  const Axis y(logarithmic ? low->y : 0, high->y, bottom, 12);
  Svg svg;
  for (const Axis::Tick& tick : y.ticks(4)) {
    svg.line(left, tick.position, plot_width, tick.position, "grid");
    svg.text(left - 6, tick.position + 4, tick_text(tick.value), at_end);
  }
  for (const Iteration* const end : {points.front().iteration, points.back().iteration}) {
    svg.text(x.position(static_cast<double>(end->number)), bottom + 16, std::to_string(end->number),
             end == points.front().iteration ? at_begin : at_end);
  }
  for (const Point& point : points) {
    const Phase phase = point.iteration->phase;
    const std::string name(to_string(phase));
    svg.begin_mark("iteration " + std::to_string(point.iteration->number) + ", " + name + ": " +
                   duration_text(point.y));
    svg.circle(x.position(point.x), y.position(point.y), phase == Phase::final_run ? 5 : 3, "point " + name);
    svg.end_mark();
  }
  for (const Phase phase : {Phase::walk, Phase::search, Phase::final_run}) {
    if (std::any_of(points.begin(), points.end(),
                    [phase](const Point& point) { return point.iteration->phase == phase; })) {
      svg.legend(to_string(phase), to_string(phase));
    }
  }
  return svg.figure(
      "region", "The region's time by tuning iteration" + std::string(y.logarithmic() ? ", logarithmic" : ""),
      height);
}

}  // namespace contextual::log_report

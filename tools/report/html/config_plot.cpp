#include "report/format/quantities.hpp"
#include "report/html/plot_axis.hpp"
#include "report/html/plots.hpp"
#include "report/html/svg_marks.hpp"
#include "report/wording/config_wording.hpp"

#include <algorithm>
#include <optional>

namespace contextual::log_report {
namespace {

constexpr std::size_t configs_in_plot = 48;
constexpr std::size_t samples_in_row = 64;
constexpr double label_width = 112;

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
  std::string text = "config-" + std::to_string(config.id) + " " + std::string(config.text);
  if (!config.samples_ns.empty()) {
    text += ": " + duration_text(config.median_ns) + " +- " + duration_text(config.spread_ns) + ", " +
            count_text(config.samples_ns.size(), "sample");
  }
  const std::string status = config_status(config);
  return text + (status.empty() ? "" : ", " + status);
}

std::string config_row(const ConfigResult& config, const Axis& axis, double top) {
  const double y = top + row_height / 2;
  std::string markup = rectangle(0, top, plot_width, row_height, config.chosen ? "row chosen" : "row");
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

/// Shows all samples; empty without any.
std::optional<Axis> axis_of(const ProblemResult& problem) {
  double low = 0;
  double high = 0;
  for (const ConfigResult& config : problem.configs) {
    for (const double sample : config.samples_ns) {
      low = high == 0 ? sample : std::min(low, sample);
      high = std::max(high, sample);
    }
  }
  if (high <= 0) {
    return std::nullopt;
  }
  const double margin = Axis(low, high, 0, 1, Scale::fitting).logarithmic() ? 0 : (high - low) * 0.05;
  return Axis(low - margin, high + margin, label_width + 10, plot_width - 14, Scale::fitting);
}

}  // namespace

std::string config_plot(const ProblemResult& problem) {
  const std::optional<Axis> axis = axis_of(problem);
  if (!axis) {
    return "";
  }
  const std::vector<std::size_t> shown = configs_shown(problem, configs_in_plot);
  const double bottom = row_height * static_cast<double>(shown.size()) + 4;
  std::string markup = time_grid(*axis, 2, bottom);
  for (std::size_t row = 0; row < shown.size(); ++row) {
    const ConfigResult& config = problem.configs[shown[row]];
    markup +=
        mark(config_title(config), config_row(config, *axis, 2 + row_height * static_cast<double>(row)));
  }
  std::string caption =
      "Own time of each config in the walk" + std::string(axis->logarithmic() ? ", logarithmic" : "");
  if (shown.size() < problem.configs.size()) {
    caption +=
        ", the fastest " + std::to_string(shown.size()) + " of " + std::to_string(problem.configs.size());
  }
  return figure("configs", shown.size(), caption, bottom + 20, markup,
                legend_entry("key median", "median") + legend_entry("key spread", "spread") +
                    legend_entry("key sample", "samples") + legend_entry("key chosen", "chosen"));
}

}  // namespace contextual::log_report

#include "report/format/columns.hpp"
#include "report/html/html_text.hpp"
#include "report/html/plots.hpp"
#include "report/html/svg_marks.hpp"
#include "report/wording/run_wording.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace contextual::log_report {
namespace {

constexpr std::size_t ranks_in_plot = 64;
constexpr std::size_t problems_in_plot = 48;

/// Each rank's last choice of each problem.
using Choices = std::map<const ProblemName*, std::map<std::int64_t, std::int64_t>>;

Choices choices_of(const TuningRun& run) {
  Choices choices;
  for (const RankRun* rank : run.ranks) {
    for (const Choice& choice : rank->choices) {
      if (choice.config.problem != nullptr) {
        choices[choice.config.problem][rank->rank] = choice.config.id;
      }
    }
  }
  return choices;
}

std::int64_t most_frequent(const std::map<std::int64_t, std::int64_t>& ids) {
  std::map<std::int64_t, std::size_t> counts;
  for (const auto& [rank, id] : ids) {
    ++counts[id];
  }
  const auto most = std::max_element(counts.begin(), counts.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? 0 : most->first;
}

/// Where the cells of each rank stand.
struct Grid {
  static constexpr double label_width = 150;
  static constexpr double top = 20;

  std::size_t columns = 0;
  double cell = 0;

  explicit Grid(std::size_t ranks)
      : columns(std::min(ranks, ranks_in_plot)),
        cell(std::min(44.0, (plot_width - label_width - 4) / static_cast<double>(columns))) {}

  double x(std::size_t column) const { return label_width + cell * static_cast<double>(column); }
  static double y(std::size_t row) { return top + (row_height + 2) * static_cast<double>(row); }
};

/// The ranks' numbers, as many as have room.
std::string header(const TuningRun& run, const Grid& grid) {
  std::string markup = text_at(Grid::label_width - 8, 13, "rank", "text-anchor=\"end\"");
  const std::size_t step = static_cast<std::size_t>(28 / grid.cell) + 1;
  for (std::size_t i = 0; i < grid.columns; i += step) {
    markup +=
        text_at(grid.x(i) + grid.cell / 2, 13, std::to_string(run.ranks[i]->rank), "text-anchor=\"middle\"");
  }
  return markup;
}

std::string choice_mark(std::int64_t rank, std::optional<std::int64_t> id, const char* css_class, double x,
                        double y, double cell) {
  const std::string says = id ? "config-" + std::to_string(*id) : "no choice";
  std::string content = rectangle(x + 1, y, std::max(1.0, cell - 2), row_height, css_class);
  if (cell >= 22) {
    content +=
        text_at(x + cell / 2, y + 14, id ? shorten(std::to_string(*id), 5) : "-", "text-anchor=\"middle\"");
  }
  return mark("rank " + std::to_string(rank) + ": " + says, content);
}

/// One problem on all ranks of the plot. `ids` are the choices by rank.
std::string row_of(const ProblemName& problem, const std::string& label,
                   const std::map<std::int64_t, std::int64_t>& ids, const TuningRun& run, const Grid& grid,
                   double y) {
  const std::int64_t usual = most_frequent(ids);
  std::string markup =
      element("g", element("title", escaped(name_of(problem))) +
                       text_at(Grid::label_width - 8, y + 14,
                               shorten(label + std::string(problem.kernel), 22), "text-anchor=\"end\""));
  for (std::size_t i = 0; i < grid.columns; ++i) {
    const std::int64_t rank = run.ranks[i]->rank;
    const auto found = ids.find(rank);
    const auto id = found == ids.end() ? std::nullopt : std::optional(found->second);
    const char* css_class = !id ? "choice none" : *id == usual ? "choice usual" : "choice odd";
    markup += choice_mark(rank, id, css_class, grid.x(i), y, grid.cell);
  }
  return markup;
}

}  // namespace

std::string choice_plot(const RunAnalysis& analysis) {
  const TuningRun& run = *analysis.run;
  Choices choices = choices_of(run);
  if (run.ranks.size() < 2 || choices.empty()) {
    return "";
  }
  const Grid grid(run.ranks.size());
  std::size_t rows = 0;
  std::string markup = header(run, grid);
  for (const ProblemResult& problem : analysis.problems) {
    const auto& ids = choices[problem.name];
    if (!ids.empty() && rows < problems_in_plot) {
      markup += row_of(*problem.name, problem_label(analysis, problem.name), ids, run, grid, Grid::y(rows++));
    }
  }
  std::string caption = "Chosen config id per rank";
  if (grid.columns < run.ranks.size()) {
    caption +=
        ", the first " + std::to_string(grid.columns) + " of " + std::to_string(run.ranks.size()) + " ranks";
  }
  return figure("choices", rows * grid.columns, caption, Grid::y(rows) + 4, markup,
                legend_entry("key usual", "as most ranks") + legend_entry("key odd", "other"));
}

}  // namespace contextual::log_report

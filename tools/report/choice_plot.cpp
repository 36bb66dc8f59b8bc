#include "html_text.hpp"
#include "svg_marks.hpp"
#include "svg_plot.hpp"

#include <algorithm>
#include <map>

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

}  // namespace

std::string choice_plot(const RunAnalysis& analysis) {
  const TuningRun& run = *analysis.run;
  Choices choices = choices_of(run);
  if (run.ranks.size() < 2 || choices.empty()) {
    return "";
  }
  constexpr double label_width = 150;
  constexpr double top = 20;
  const std::size_t columns = std::min(run.ranks.size(), ranks_in_plot);
  const double cell = std::min(44.0, (plot_width - label_width - 4) / static_cast<double>(columns));
  std::size_t marks = 0;
  std::size_t row = 0;
  std::string markup;
  const std::size_t label_step = static_cast<std::size_t>(28 / cell) + 1;
  for (std::size_t i = 0; i < columns; i += label_step) {
    markup += text_at(label_width + cell * (static_cast<double>(i) + 0.5), 13,
                      std::to_string(run.ranks[i]->rank), "text-anchor=\"middle\"");
  }
  markup += text_at(label_width - 8, 13, "rank", "text-anchor=\"end\"");
  for (const ProblemResult& problem : analysis.problems) {
    const auto& ids = choices[problem.name];
    if (ids.empty() || row == problems_in_plot) {
      continue;
    }
    const double y = top + (row_height + 2) * static_cast<double>(row++);
    const std::int64_t usual = most_frequent(ids);
    markup += element("g", element("title", escaped(name_of(*problem.name))) +
                               text_at(label_width - 8, y + 14, shorten(name_of(*problem.name), 22),
                                       "text-anchor=\"end\""));
    for (std::size_t i = 0; i < columns; ++i) {
      const auto id = ids.find(run.ranks[i]->rank);
      const double x = label_width + cell * static_cast<double>(i);
      const bool none = id == ids.end();
      const std::string says = none ? "no choice" : "config-" + std::to_string(id->second);
      std::string inside =
          element("title", escaped("rank " + std::to_string(run.ranks[i]->rank) + ": " + says)) +
          rectangle(x + 1, y, std::max(1.0, cell - 2), row_height,
                    none                  ? "choice none"
                    : id->second == usual ? "choice usual"
                                          : "choice odd");
      if (cell >= 22) {
        inside += text_at(x + cell / 2, y + 14, none ? "-" : shorten(std::to_string(id->second), 5),
                          "text-anchor=\"middle\"");
      }
      markup += element("g", inside, "class=\"mark\"");
      ++marks;
    }
    markup += "\n";
  }
  std::string caption = "Chosen config id per rank";
  if (columns < run.ranks.size()) {
    caption +=
        ", the first " + std::to_string(columns) + " of " + std::to_string(run.ranks.size()) + " ranks";
  }
  return figure("choices", marks, caption, top + (row_height + 2) * static_cast<double>(row) + 4, markup,
                legend_entry("key usual", "as most ranks") + legend_entry("key odd", "other"));
}

}  // namespace contextual::log_report

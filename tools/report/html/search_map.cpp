#include "report/format/columns.hpp"
#include "report/format/quantities.hpp"
#include "report/html/plots.hpp"
#include "report/html/search_grid.hpp"
#include "report/html/svg_marks.hpp"
#include "report/wording/search_wording.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace contextual::log_report {
namespace {

constexpr double map_left = 58;
constexpr double top = 32;
constexpr double cell_height = 22;
constexpr double widest_cell = 48;
constexpr double narrowest_with_text = 26;

/// Cells are coloured by how much longer they are than the choice.
struct Step {
  double up_to;
  const char* text;
};
constexpr std::array<Step, 5> steps{{{0.01, "up to +1 %"},
                                     {0.03, "+3 %"},
                                     {0.1, "+10 %"},
                                     {0.3, "+30 %"},
                                     {std::numeric_limits<double>::infinity(), "more"}}};

std::size_t step_of(double to_choice) {
  std::size_t step = 0;
  while (to_choice > steps[step].up_to) {
    ++step;
  }
  return step;
}

/// "+12" of 0.12.
std::string percents(double fraction) {
  const long rounded = std::lround(std::clamp(100 * fraction, -999.0, 999.0));
  return (rounded > 0 ? "+" : "") + std::to_string(rounded);
}

std::string legend(const SearchView& search) {
  std::string markup;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    markup += legend_entry("key near" + std::to_string(i), steps[i].text);
  }
  return markup + legend_entry("key infeasible", "infeasible") +
         legend_entry("key unmeasured", "not measured") + legend_entry("key outline chosen", "chosen") +
         legend_entry("key outline tie", "within noise") +
         legend_entry("key at-defaults", std::string(defaults_name(search))) +
         legend_entry("key at-own-time", "best by own times");
}

/// Draws a grid.
class SearchMap {
 public:
  SearchMap(const SearchView& search, const SearchGrid& grid)
      : search_(search),
        grid_(grid),
        columns_(grid.columns()),
        rows_(grid.rows()),
        cell_width_(std::min(widest_cell,
                             (plot_width - map_left - 4) / static_cast<double>(grid.columns().ids.size()))) {}

  std::string markup() const {
    std::string marks = labels();
    for (const auto& [place, cell] : grid_.cells()) {
      marks += mark(title(place, cell), content(place, cell));
    }
    return figure("search", grid_.cells().size(), caption(), y(rows_.ids.size()) + 4, marks, legend(search_));
  }

 private:
  using Place = SearchGrid::Place;

  double x(std::size_t column) const { return map_left + cell_width_ * static_cast<double>(column); }
  static double y(std::size_t row) { return top + cell_height * static_cast<double>(row); }

  std::string column_name() const { return short_name(search_, *columns_.problem); }
  std::string row_name() const { return short_name(search_, *rows_.problem); }

  std::string axes_text() const {
    return "across: config of " + column_name() + (rows_.problem ? ", down: of " + row_name() : "");
  }

  /// The names and ids of both problems, and the background.
  std::string labels() const {
    std::string markup =
        rectangle(map_left, top, x(columns_.ids.size()) - map_left, y(rows_.ids.size()) - top, "unmeasured") +
        text_at(0, 11, axes_text(), "class=\"note\"");
    const std::size_t step = static_cast<std::size_t>(22 / cell_width_) + 1;
    for (std::size_t c = 0; c < columns_.ids.size(); c += step) {
      markup += text_at(x(c) + cell_width_ / 2, top - 6, shorten(std::to_string(columns_.ids[c]), 6),
                        "text-anchor=\"middle\"");
    }
    for (std::size_t r = 0; rows_.problem && r < rows_.ids.size(); ++r) {
      markup +=
          text_at(map_left - 6, y(r) + 15, shorten(std::to_string(rows_.ids[r]), 8), "text-anchor=\"end\"");
    }
    return markup;
  }

  /// Relative to the choice or, if that was not measured, to the shortest one.
  double relative(const MeasuredView& measured) const {
    return measured.to_choice.value_or(measured.makespan_ns / search_.measured.front().makespan_ns - 1);
  }

  std::string what(const Place& place, const GridCell& cell) const {
    if (cell.shortest != nullptr) {
      const MeasuredWords words = measured_words(*cell.shortest);
      return set_text(search_, cell.shortest->config_ids()) + ": " + words.makespan +
             (words.spread.empty() ? "" : " +- " + words.spread) + ", samples: " + words.samples +
             (words.to_choice.empty() ? "" : ", " + words.to_choice + " to the choice");
    }
    if (cell.infeasible != nullptr) {
      return set_text(search_, cell.infeasible->config_ids) + ": " + infeasible_text(*cell.infeasible);
    }
    return column_name() + " " + std::to_string(columns_.ids[place.second]) +
           (rows_.problem ? ", " + row_name() + " " + std::to_string(rows_.ids[place.first]) : "");
  }

  std::string title(const Place& place, const GridCell& cell) const {
    return what(place, cell) + (cell.within_noise ? "; within noise" : "") + cell.notes;
  }

  std::string content(const Place& place, const GridCell& cell) const {
    const double cx = x(place.second) + 1;
    const double cy = y(place.first) + 1;
    const double width = std::max(1.0, cell_width_ - 2);
    const double height = cell_height - 2;
    std::string markup;
    if (cell.shortest != nullptr) {
      const std::string step = std::to_string(step_of(relative(*cell.shortest)));
      markup = rectangle(cx, cy, width, height, "cell near" + step);
      if (cell_width_ >= narrowest_with_text) {
        markup += text_at(cx + width / 2, cy + 14, percents(relative(*cell.shortest)),
                          "text-anchor=\"middle\" class=\"on" + step + "\"");
      }
    } else if (cell.infeasible != nullptr) {
      markup = rectangle(cx, cy, width, height, "cell infeasible") +
               line(cx + 2, cy + 2, cx + width - 2, cy + height - 2, "cross") +
               line(cx + 2, cy + height - 2, cx + width - 2, cy + 2, "cross");
    }
    if (cell.chosen || cell.within_noise) {
      markup += rectangle(cx + 1, cy + 1, std::max(1.0, width - 2), height - 2,
                          cell.chosen ? "outline chosen" : "outline tie");
    }
    markup += cell.defaults ? circle(cx + 5, cy + height - 4, 3, "at-defaults") : "";
    markup += cell.by_own_time ? circle(cx + width - 5, cy + height - 4, 3, "at-own-time") : "";
    return markup;
  }

  std::string caption() const {
    const bool to_choice = !search_.measured.empty() && search_.measured.front().to_choice;
    std::string text = "Measured sets: the region's time in % to the " +
                       std::string(to_choice ? "choice" : "shortest one") + ", by config of " + column_name();
    text += rows_.problem ? " (columns) and " + row_name() + " (rows)" : "";
    const std::size_t axes = rows_.problem ? 2 : 1;
    if (search_.differing.size() > axes) {
      text += "; of several configs of the other problems, the shortest one";
    } else if (search_.result->problems.size() > axes) {
      text += "; the other problems as chosen";
    }
    const std::size_t left_out = columns_.left_out + rows_.left_out;
    return left_out == 0 ? text : text + "; " + count_text(left_out, "config") + " of longer sets left out";
  }

  const SearchView& search_;
  const SearchGrid& grid_;
  const GridAxis& columns_;
  const GridAxis& rows_;
  double cell_width_;
};

}  // namespace

std::string search_map(const SearchView& search) {
  const SearchGrid grid(search);
  return grid.empty() ? "" : SearchMap(search, grid).markup();
}

}  // namespace contextual::log_report

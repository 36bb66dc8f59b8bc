#include "report/html/search_grid.hpp"

#include "report/wording/search_wording.hpp"

#include <algorithm>
#include <set>

namespace contextual::log_report {
namespace {

constexpr std::size_t configs_on_axis = 24;

/// Every assignment of the search, the most important ones first.
std::vector<const ConfigIds*> assignments_of(const SearchView& search) {
  std::vector<const ConfigIds*> all;
  for (const ConfigIds* each : {&search.choice, &search.defaults, &search.by_own_time}) {
    if (!each->empty()) {
      all.push_back(each);
    }
  }
  for (const MeasuredView& each : search.measured) {
    all.push_back(&each.config_ids());
  }
  for (const InfeasibleAssignment* each : search.infeasible) {
    all.push_back(&each->config_ids);
  }
  return all;
}

/// All ids up to the largest one, if these are few, so that a config that was never measured has its place.
GridAxis axis_of(std::size_t problem, const std::vector<const ConfigIds*>& assignments) {
  GridAxis axis{problem, {}, 0};
  std::set<std::int64_t> seen;
  for (const ConfigIds* each : assignments) {
    const std::int64_t id = (*each)[problem];
    if (seen.insert(id).second && axis.ids.size() < configs_on_axis) {
      axis.ids.push_back(id);
    }
  }
  axis.left_out = seen.size() - axis.ids.size();
  if (*seen.rbegin() < static_cast<std::int64_t>(configs_on_axis)) {
    axis.ids.clear();
    for (std::int64_t id = 0; id <= *seen.rbegin(); ++id) {
      axis.ids.push_back(id);
    }
  }
  std::sort(axis.ids.begin(), axis.ids.end());
  return axis;
}

}  // namespace

std::optional<std::size_t> GridAxis::place(const ConfigIds& config_ids) const {
  const std::int64_t id = problem ? config_ids[*problem] : 0;
  const auto found = std::lower_bound(ids.begin(), ids.end(), id);
  return found != ids.end() && *found == id ? std::optional<std::size_t>(found - ids.begin()) : std::nullopt;
}

SearchGrid::SearchGrid(const SearchView& search) : search_(search) {
  choose_axes();
  if (columns_.problem) {
    fill();
  }
}

void SearchGrid::choose_axes() {
  const std::vector<const ConfigIds*> assignments = assignments_of(search_);
  std::vector<GridAxis> axes;
  for (const std::size_t problem : search_.differing) {
    if (search_.result->problems[problem].chosen_by == ChosenBy::makespan) {
      axes.push_back(axis_of(problem, assignments));
    }
  }
  std::stable_sort(axes.begin(), axes.end(), [](const GridAxis& a, const GridAxis& b) {
    return a.ids.size() + a.left_out > b.ids.size() + b.left_out;
  });
  if (!axes.empty()) {
    columns_ = axes[0];
    rows_ = axes.size() > 1 ? axes[1] : GridAxis{std::nullopt, {0}, 0};
  }
}

void SearchGrid::fill() {
  for (const MeasuredView& each : search_.measured) {  // the shortest first
    if (GridCell* cell = at(each.config_ids())) {
      cell->shortest = cell->shortest == nullptr ? &each : cell->shortest;
      cell->within_noise = cell->within_noise || each.measured->standing == Standing::within_noise;
    }
  }
  for (const InfeasibleAssignment* each : search_.infeasible) {
    if (GridCell* cell = at(each->config_ids)) {
      cell->infeasible = cell->infeasible == nullptr ? each : cell->infeasible;
    }
  }
  point_out(search_.choice, "chosen", &GridCell::chosen);
  point_out(search_.defaults, defaults_name(search_), &GridCell::defaults);
  point_out(search_.by_own_time, "best by own times", &GridCell::by_own_time);
}

/// Null for one that was left out.
GridCell* SearchGrid::at(const ConfigIds& config_ids) {
  const auto row = rows_.place(config_ids);
  const auto column = columns_.place(config_ids);
  return row && column ? &cells_[{*row, *column}] : nullptr;
}

void SearchGrid::point_out(const ConfigIds& config_ids, std::string_view name, bool GridCell::*member) {
  GridCell* cell = config_ids.empty() ? nullptr : at(config_ids);
  if (cell == nullptr) {
    return;
  }
  cell->*member = true;
  cell->notes.append("; ").append(name);
  if (search_.find_infeasible(config_ids) != nullptr) {
    cell->notes += " (infeasible)";
  } else if (search_.find(config_ids) == nullptr) {
    cell->notes += " (not measured)";
  }
}

}  // namespace contextual::log_report

#pragma once

/// \file
/// The measured assignments of a search as a grid: the configs of one problem across, of another one down.

#include "report/judging/search_view.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace contextual::log_report {

/// The configs of one problem that a grid shows, in ascending order.
struct GridAxis {
  std::optional<std::size_t> problem{};  ///< empty for the only row of a grid of one problem
  std::vector<std::int64_t> ids{};
  std::size_t left_out = 0;

  /// Returns where the problem's config is in `ids`, or nothing if it was left out.
  std::optional<std::size_t> place(const ConfigIds& config_ids) const;
};

/// What is known of all assignments with the same two configs.
struct GridCell {
  const MeasuredView* shortest = nullptr;
  const InfeasibleAssignment* infeasible = nullptr;  ///< the first one
  bool within_noise = false;                         ///< some assignment of the cell is
  bool chosen = false;
  bool defaults = false;
  bool by_own_time = false;
  std::string notes{};  ///< "; chosen", "; all defaults (infeasible)", ...
};

/// Of more than two problems it takes the two with the most configs, and the shortest assignment over the
/// others. A cell exists where something was measured, failed or is worth pointing out. Bounded, whatever the
/// search has.
class SearchGrid {
 public:
  using Place = std::pair<std::size_t, std::size_t>;  ///< row and column

  /// `search` must outlive the grid.
  explicit SearchGrid(const SearchView& search);

  /// Returns true if no two assignments differ in a problem that was chosen by makespan.
  bool empty() const { return cells_.empty(); }
  const GridAxis& columns() const { return columns_; }
  const GridAxis& rows() const { return rows_; }
  const std::map<Place, GridCell>& cells() const { return cells_; }

 private:
  void choose_axes();
  void fill();
  GridCell* at(const ConfigIds& config_ids);
  void point_out(const ConfigIds& config_ids, std::string_view name, bool GridCell::*member);

  const SearchView& search_;
  GridAxis columns_;
  GridAxis rows_;
  std::map<Place, GridCell> cells_;
};

}  // namespace contextual::log_report

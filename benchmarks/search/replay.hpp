#pragma once

/// \file
/// The result of replaying a region through a search.

#include <cstdint>
#include <vector>

namespace search_replay {

/// How good the search's choice was after a number of runs.
struct CurvePoint {
  std::int64_t runs = 0;
  double regret = 0;
};

/// What became of the assignments within 1 % of the best one where the choice is none of them.
enum class Miss {
  none,      ///< the choice is one of them, or only the search was replayed
  unseen,    ///< none has a sample
  mistaken,  ///< what was measured of them spoke for something else
  lost,      ///< one lost the closing comparison
};

struct Replay {
  double regret = 0;              ///< of the final choice, relative to the best; infinity if it is infeasible
  std::int64_t runs = 0;          ///< of the region, with everything counted
  std::vector<CurvePoint> curve;  ///< after every batch; the first point, after no run, is the defaults'
  Miss miss = Miss::none;
  bool unsure = false;  ///< a whole tuning says so of its choice
};

}  // namespace search_replay

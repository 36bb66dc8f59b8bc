#pragma once

/// \file
/// By how much something is shorter, and than what.

namespace contextual::policy {

/// By how much the choice shortens the makespan of the reference, as a fraction of the latter.
struct Gain {
  double centre = 0;
  double low = 0;   ///< lower end of an interval; no end of a search exceeds its gain in 95 % of searches
  double high = 0;  ///< its upper end, at most 1

  bool operator==(const Gain&) const = default;
};

/// What the closing comparison compares the choice with.
enum class Reference {
  none,                  ///< nothing: no comparison was made
  defaults,              ///< all defaults: those of all choice points and of the kernels
  alternative_defaults,  ///< the defaults of the kernels, with alternatives that are not the default ones
  default_alternative,   ///< where alternatives are compared, the default one, with what is best for it
  first_feasible,        ///< the first assignment that ran, because the others together are infeasible
};

}  // namespace contextual::policy

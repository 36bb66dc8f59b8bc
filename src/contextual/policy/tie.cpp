#include "contextual/policy/tie.hpp"

namespace contextual::policy {

bool samples_overlap(const Summary& slower, const Summary& faster) {
  return slower.count == 0 || faster.count == 0 || slower.least_ns <= faster.greatest_ns;
}

Comparison compare(const Summary& slower, const Summary& faster) {
  return {slower.centre_ns - faster.centre_ns,
          root_of_squares(slower.standard_error_ns, faster.standard_error_ns),
          samples_overlap(slower, faster)};
}

bool is_tie(const Comparison& comparison, double margin_ns) {
  return comparison.slower_by_ns <= margin_ns ||
         (comparison.overlap && comparison.slower_by_ns <= 2 * comparison.error_ns);
}

}  // namespace contextual::policy

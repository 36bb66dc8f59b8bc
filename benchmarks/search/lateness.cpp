#include "search/lateness.hpp"

namespace search_replay {

double Lateness::next(const contextual::Assignment& assignment, RandomNumbers& random) {
  if (assignment != last_) {
    last_ = assignment;
    disorder_ = disordered_runs;
  }
  if (disorder_ == 0) {
    return 0;
  }
  const bool first = disorder_ == disordered_runs;
  --disorder_;
  if (!first) {
    return random.exponential(brief_ ? 0.03 : 0.004);
  }
  const double usual = random.exponential(brief_ ? 0.15 : 0.04);
  const bool far_too_long = random.uniform() < 0.05;
  return usual + (far_too_long ? random.exponential(0.4) : 0);
}

}  // namespace search_replay

#include "contextual/measure/run_amount.hpp"

#include <algorithm>

namespace contextual::measure {

using std::chrono::nanoseconds;

void RunAmount::count(std::size_t runs, nanoseconds wall) {
  done_ += runs;
  spent_ += wall;
}

std::size_t RunAmount::left(nanoseconds each) const {
  if (const int* const wanted = std::get_if<int>(&runs_)) {
    return static_cast<std::size_t>(*wanted) - std::min(done_, static_cast<std::size_t>(*wanted));
  }
  const nanoseconds time = std::max(std::get<nanoseconds>(runs_) - spent_, nanoseconds{0});
  if (done_ >= most || (done_ > 0 && time == nanoseconds{0})) {
    return 0;
  }
  return std::clamp<std::size_t>(static_cast<std::size_t>(time / each), 1, most - done_);
}

}  // namespace contextual::measure

#pragma once

#include <contextual/deadline.hpp>

#include <chrono>
#include <thread>

namespace contextual::detail {

/// The time between two looks at an operation that is under way. First the core is only yielded, since most
/// waits are short; after a millisecond it is left to whoever is late, who may be on the same core.
class Pause {
 public:
  void operator()() {
    if (long_wait()) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    } else {
      std::this_thread::yield();
    }
  }
  bool long_wait() const { return Deadline::Clock::now() - begin_ > std::chrono::milliseconds(1); }

 private:
  Deadline::Clock::time_point begin_ = Deadline::Clock::now();
};

}  // namespace contextual::detail

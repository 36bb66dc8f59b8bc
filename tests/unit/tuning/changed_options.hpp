#pragma once

/// \file
/// The options of most tests, of which a test changes some, and a timer as the host's clock is one.

#include "contextual/options/resolved_options.hpp"
#include "support/engine.hpp"
#include "support/ranks.hpp"

#include <contextual/testing/forwarding_timer.hpp>

namespace contextual::test {

inline Options quick(TimerFactory timer, const Options& changed) {
  return options::merged(changed, quick(std::move(timer)));
}

inline Options quick(const Options& changed) {
  return options::merged(changed, quick());
}

inline Options rank_options(std::shared_ptr<Communicator> communicator, const Options& changed) {
  return options::merged(changed, rank_options(std::move(communicator)));
}

/// Times as the timer below it does, but says that they are the host's.
class HostOnly final : public testing::ForwardingTimer {
 public:
  using ForwardingTimer::ForwardingTimer;
  bool measures_devices() const noexcept override { return false; }
};

}  // namespace contextual::test

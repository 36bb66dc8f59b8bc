#pragma once

/// \file
/// The options of most tests, of which a test changes some.

#include "contextual/options/resolved_options.hpp"
#include "support/engine.hpp"
#include "support/ranks.hpp"

namespace engine_test {

inline contextual::Options quick(contextual::TimerFactory timer, const contextual::Options& changed) {
  return contextual::options::merged(changed, quick(std::move(timer)));
}

inline contextual::Options quick(const contextual::Options& changed) {
  return contextual::options::merged(changed, quick());
}

}  // namespace engine_test

namespace contextual::test {

inline Options rank_options(std::shared_ptr<Communicator> communicator, const Options& changed) {
  return options::merged(changed, rank_options(std::move(communicator)));
}

}  // namespace contextual::test

#pragma once

/// \file
/// The first exchange of a run: are all ranks there, and about to do the same?

#include "contextual/agreement/exchange.hpp"
#include "contextual/options/resolved_options.hpp"

#include <exception>
#include <string>
#include <string_view>

namespace contextual::agreement {

/// How a rank comes to a run.
struct Arrival {
  std::string_view timer{};  ///< the name of this run's timer; empty where nothing is tuned
  std::exception_ptr
      setup_failure{};   ///< what could not be set up here; the ranks are told, and it is rethrown
  bool settled = false;  ///< everything that the region launches is locked in, as far as this rank knows
};

/// What all ranks know when they have met.
struct Hello {
  std::string tuning_id;            ///< equal on all ranks of this tuning run, and of no other one
  bool settled_everywhere = false;  ///< all ranks say that they are settled
  bool settled_somewhere = false;
};

/// Compares region, options and environment on all ranks. Ranks that tune and whose times count must have the
/// same timer, or the maximum of their times means nothing.
///
/// Throws RegionFailedError for another rank's set-up, RankMismatchError naming what differs,
/// CommunicationError.
Hello say_hello(Exchange& exchange, const std::string& region, const options::ResolvedOptions& options,
                const Arrival& arrival);

}  // namespace contextual::agreement

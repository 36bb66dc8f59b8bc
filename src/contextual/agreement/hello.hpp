#pragma once

/// \file
/// The first exchange of a run, which finds out whether all ranks are there and about to do the same.

#include "contextual/agreement/exchange.hpp"
#include "contextual/options/resolved_options.hpp"

#include <contextual/detail/storage/machine.hpp>

#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::agreement {

/// The state in which this rank begins a run.
struct Arrival {
  std::string_view timer{};       ///< the name of this run's timer; empty if nothing is tuned
  std::string_view substitute{};  ///< the name of the timer that it can give way to, or empty
  std::exception_ptr
      setup_failure{};     ///< the error of this rank's set-up, which it tells the others and rethrows
  bool locked_in = false;  ///< as far as this rank knows, everything that the region launches is locked in
  bool choice_failed = false;   ///< a choice of the region has failed to launch here since the ranks met
  bool keeps_choices = false;   ///< this rank uses the choices of other processes; rank 0 only
  std::string kept_choices{};   ///< what it has read there for the region; rank 0 only
  bool keeps_journal = false;   ///< this rank writes one; rank 0 only
  std::string journal{};        ///< what another process has left in the region's journal; rank 0 only
  bool copies_buffers = false;  ///< this rank needs memory for copies if it tunes
};

/// What all ranks know when they have met.
struct Hello {
  std::string tuning_id;              ///< equal on all ranks, and different for every tuning run
  bool locked_in_everywhere = false;  ///< true if all ranks say `locked_in`, and no choice has failed
  bool locked_in_somewhere = false;   ///< true if some rank says so
  bool keeps_choices = false;         ///< true if rank 0 uses the choices of other processes
  bool choice_failed = false;         ///< true if one has failed on some rank
  bool keeps_journal = false;         ///< true if rank 0 writes one
  bool copies_buffers = false;        ///< true if some rank needs memory for copies
  std::string timer{};                ///< which the timers of all ranks give way to; empty: they are alike
  // Only where rank 0 keeps choices, and has kept some or the ranks tune:
  std::vector<detail::Machine> machines{};  ///< by rank, see detail::add_ranks_per_node
  std::vector<std::string> kernels{};  ///< by rank: a digest of all its kernels, their spaces and versions
  std::string kept_choices{};          ///< rank 0's; empty if it has none
  std::string journal{};               ///< rank 0's; empty if nothing was left there
};

/// Compares the region and the options of all ranks. Ranks that tune must have the same timer, or
/// agree on one that all of them can have; otherwise the maximum of their times would mean nothing.
/// Where they give way to another timer, the run is not written down. Collective.
///
/// Costs one reduction, and a gather where timers differ. Where rank 0 keeps choices, it also costs a gather,
/// if it has kept some or if the ranks tune on different machines or with different kernels.
///
/// Rethrows this rank's set-up failure. Throws RegionFailedError if the set-up of another rank failed,
/// RankMismatchError, which names what differs, or CommunicationError.
Hello exchange_hello(Exchange& exchange, const std::string& region, const options::ResolvedOptions& options,
                     const Arrival& arrival);

}  // namespace contextual::agreement

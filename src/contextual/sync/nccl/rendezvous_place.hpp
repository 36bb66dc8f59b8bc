#pragma once

/// \file
/// Where the ranks of a program meet, as the environment says it.

#include <contextual/detail/sync/launcher.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace contextual::sync {

/// The port where no variable names one. It is below the ports that Linux gives to outgoing connections.
inline constexpr std::uint16_t default_rendezvous_port = 28484;

struct RendezvousPlace {
  std::string host;  ///< of rank 0, as a name or an address
  std::uint16_t port = default_rendezvous_port;
  /// The same for the ranks of one job, and most likely another one for any other job.
  std::uint64_t job = 0;
};

/// Returns where the ranks meet that this launcher started. `get` works like std::getenv. Throws
/// InvalidArgument if CONTEXTUAL_RENDEZVOUS_PORT is no port or is the launcher's own one, and if the host of
/// rank 0 is not known.
RendezvousPlace rendezvous_place(const detail::LaunchedRank& launched,
                                 const std::function<const char*(const char*)>& get);

/// Returns the first host of Slurm's list, such as "node003" of "node[003-007,012],login".
std::string first_host(const std::string& node_list);

}  // namespace contextual::sync

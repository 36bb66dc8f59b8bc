#pragma once

/// \file
/// A meeting of all ranks over TCP, at which they learn what rank 0 has for them, such as an id of NCCL. It
/// needs no other transport than a port on the host of rank 0.

#include "contextual/sync/nccl/rendezvous_place.hpp"

#include <contextual/deadline.hpp>

#include <string>
#include <string_view>

namespace contextual::sync {

/// Returns `text` of rank 0 on all ranks; the others' is not used. A collective of all `size` ranks, in which
/// each is in [0, size). Throws CommunicationError: if the deadline expires, with the ranks that did not come
/// (0 for a rank that did not reach rank 0); if this rank is refused, since rank 0 has another number of
/// ranks or another process is this rank already; and if rank 0 cannot listen, since its port is in use.
std::string meet(const RendezvousPlace& place, int rank, int size, std::string_view text, Deadline& deadline);

}  // namespace contextual::sync

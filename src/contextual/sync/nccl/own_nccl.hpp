#pragma once

#include <contextual/detail/sync/nccl_api.hpp>

#include <cuda.h>

#include <chrono>

namespace contextual::sync {

/// Returns how the tuner's communicators are configured: they do not block, and, where this version of NCCL
/// knows it, they take one block on the device and carry the tuner's name.
ncclConfig_t own_config(const Nccl& api);

/// Begins to make a communicator of the tuner in this context. All ranks of the id do so, and then wait until
/// it is ready. Throws CommunicationError with NCCL's words.
ncclComm_t begin_own_nccl(const ncclUniqueId& id, int rank, int size, CUcontext context);

/// Destroys a communicator on which nothing is under way. NCCL may wait for messages that other ranks still
/// have to take, so this is done on a thread of its own. Returns false if it was not over within `patience`,
/// and leaves that thread alone.
bool destroy_own_nccl(ncclComm_t communicator, CUcontext context,
                      std::chrono::milliseconds patience) noexcept;

}  // namespace contextual::sync

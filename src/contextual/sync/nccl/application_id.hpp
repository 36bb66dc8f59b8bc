#pragma once

#include <contextual/deadline.hpp>
#include <contextual/detail/cuda/exchange_buffer.hpp>
#include <contextual/detail/sync/nccl_api.hpp>

#include <memory>

namespace contextual::sync {

/// Sends `id` of rank 0 to all ranks of the application's communicator, and returns it. That communicator may
/// block, and its first collective waits for all ranks, so this is done on a thread of its own. Throws
/// CommunicationError if the deadline expires, or with NCCL's words; `buffer` is abandoned then.
ncclUniqueId carry_id(ncclComm_t application, const ncclUniqueId& id,
                      const std::shared_ptr<detail::ExchangeBuffer>& buffer, Deadline& deadline);

}  // namespace contextual::sync

#include "contextual/sync/nccl/nccl_channel.hpp"

#include <contextual/detail/cuda/context_scope.hpp>
#include <contextual/detail/sync/pause.hpp>
#include <contextual/error.hpp>

namespace contextual::sync {
namespace {

[[noreturn]] void throw_expired(const char* state) {
  throw CommunicationError("the deadline expired while " + std::string(state) +
                               ": another rank is elsewhere or gone, or something keeps the device busy",
                           {});
}

}  // namespace

bool NcclChannel::in_progress() const {
  ncclResult_t state = ncclSuccess;
  CONTEXTUAL_NCCL(ncclCommGetAsyncError(communicator_, &state));
  if (state != ncclSuccess && state != ncclInProgress) {
    throw CommunicationError("NCCL: " + error_text(state, communicator_), {});
  }
  return state == ncclInProgress;
}

void NcclChannel::wait_until_ready(Deadline& deadline) const {
  for (detail::Pause pause; in_progress(); pause()) {
    if (deadline.expired()) {
      throw_expired("NCCL was in progress");
    }
  }
}

void NcclChannel::run(Range sent, const Post& post, Range received, Deadline& deadline) const {
  wait_until_ready(deadline);  // else NCCL refuses the operation
  buffer_.copy_to_device(sent);
  {
    const detail::ContextScope current(buffer_.context());
    const ncclResult_t code = post(buffer_.device(), buffer_.stream());
    if (code != ncclSuccess && code != ncclInProgress) {
      throw CommunicationError("NCCL: " + error_text(code, communicator_), {});
    }
  }
  wait_until_ready(deadline);  // only now its work is on the stream
  buffer_.copy_to_host(received);
  wait_for_device(deadline);
}

void NcclChannel::wait_for_device(Deadline& deadline) const {
  for (detail::Pause pause; !buffer_.done(); pause()) {
    static_cast<void>(in_progress());  // throws what another rank or the network did
    if (deadline.expired()) {
      throw_expired("NCCL's work was on the device");
    }
  }
}

}  // namespace contextual::sync

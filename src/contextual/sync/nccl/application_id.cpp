#include "contextual/sync/nccl/application_id.hpp"

#include "contextual/sync/nccl/nccl_channel.hpp"

#include <contextual/detail/sync/bounded_call.hpp>
#include <contextual/error.hpp>

#include <cstring>
#include <string>

namespace contextual::sync {
namespace {

void broadcast(ncclComm_t application, detail::ExchangeBuffer& buffer, Deadline deadline) {
  constexpr NcclChannel::Range range{0, sizeof(ncclUniqueId)};
  NcclChannel(application, buffer)
      .run(
          range,
          [&](std::byte* data, CUstream stream) {
            return nccl().ncclBroadcast(data, data, range.bytes, ncclInt8, 0, application, stream);
          },
          range, deadline);
}

}  // namespace

ncclUniqueId carry_id(ncclComm_t application, const ncclUniqueId& id,
                      const std::shared_ptr<detail::ExchangeBuffer>& buffer, Deadline& deadline) {
  std::memcpy(buffer->host(), &id, sizeof id);
  std::string cause;
  try {
    const auto time_left = deadline.remaining();
    const bool returned = bounded_call(
        [application, buffer, time_left] { broadcast(application, *buffer, Deadline::after(time_left)); },
        deadline);
    if (returned) {
      ncclUniqueId arrived;
      std::memcpy(&arrived, buffer->host(), sizeof arrived);
      return arrived;
    }
    cause = "the deadline expired in ncclBroadcast: all ranks of that communicator must call this function";
  } catch (const Error& error) {
    cause = error.what();
  }
  buffer->abandon();
  throw CommunicationError("the id did not travel over the application's NCCL communicator: " + cause, {});
}

}  // namespace contextual::sync

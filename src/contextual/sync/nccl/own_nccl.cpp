#include "contextual/sync/nccl/own_nccl.hpp"

#include <contextual/deadline.hpp>
#include <contextual/detail/cuda/context_scope.hpp>
#include <contextual/detail/sync/bounded_call.hpp>
#include <contextual/detail/sync/pause.hpp>
#include <contextual/error.hpp>

#include <atomic>
#include <exception>
#include <memory>

namespace contextual::sync {
namespace {

/// The versions in which a field of ncclConfig_t appeared. An older library ignores what it does not know.
constexpr int version_with_blocks = 21700;
constexpr int version_with_names = 22700;

/// Until all messages are delivered. Returns false if it was not over in time.
bool finalize(const Nccl& api, ncclComm_t communicator, std::chrono::milliseconds patience) {
  Deadline deadline = Deadline::after(patience);
  ncclResult_t state = api.ncclCommFinalize(communicator);
  for (detail::Pause pause; state == ncclInProgress; pause()) {
    if (deadline.expired() || api.ncclCommGetAsyncError(communicator, &state) != ncclSuccess) {
      return false;
    }
  }
  return state == ncclSuccess;
}

}  // namespace

ncclConfig_t own_config(const Nccl& api) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  if (api.version >= version_with_blocks) {
    config.minCTAs = 1;
    config.maxCTAs = 1;
  }
#if NCCL_VERSION_CODE >= 22700
  if (api.version >= version_with_names) {
    config.commName = "contextual";
  }
#endif
  return config;
}

ncclComm_t begin_own_nccl(const ncclUniqueId& id, int rank, int size, CUcontext context) {
  const Nccl& api = nccl();
  ncclConfig_t config = own_config(api);
  ncclComm_t communicator = nullptr;
  const detail::ContextScope current(context);
  const ncclResult_t code = api.ncclCommInitRankConfig(&communicator, size, id, rank, &config);
  if (code != ncclInProgress) {
    check_nccl(code, "ncclCommInitRankConfig");
  }
  return communicator;
}

bool destroy_own_nccl(ncclComm_t communicator, CUcontext context,
                      std::chrono::milliseconds patience) noexcept {
  try {
    const auto destroyed = std::make_shared<std::atomic<bool>>(false);
    Deadline deadline = Deadline::after(patience);
    return bounded_call(
               [communicator, context, patience, destroyed] {
                 const Nccl& api = nccl();
                 const detail::ContextScope current(context);
                 if (finalize(api, communicator, patience)) {
                   destroyed->store(api.ncclCommDestroy(communicator) == ncclSuccess);
                 }
               },
               deadline) &&
           destroyed->load();
  } catch (const std::exception&) {  // no device any more, or no thread
    return false;
  }
}

}  // namespace contextual::sync

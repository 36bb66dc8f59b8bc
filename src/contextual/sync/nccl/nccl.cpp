#include "contextual/sync/nccl/application_id.hpp"
#include "contextual/sync/nccl/nccl_communicator.hpp"
#include "contextual/sync/nccl/rendezvous.hpp"

#include <contextual/cuda/error.hpp>
#include <contextual/detail/sync/launcher.hpp>
#include <contextual/detail/sync/nccl_api.hpp>
#include <contextual/error.hpp>
#include <contextual/nccl.hpp>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>

namespace contextual {
namespace {

using sync::NcclCommunicator;
using Place = NcclCommunicator::Place;

void check_place(const Place& place) {
  if (place.size < 1 || place.rank < 0 || place.rank >= place.size) {
    throw InvalidArgument("nccl_communicator got rank " + std::to_string(place.rank) + " of " +
                          std::to_string(place.size) + " ranks");
  }
}

std::shared_ptr<detail::ExchangeBuffer> make_buffer(const std::optional<int>& device, const Place& place) {
  return std::make_shared<detail::ExchangeBuffer>(device, NcclCommunicator::buffer_bytes(place.size));
}

/// The ranks meet only after each has shown that it has NCCL and a device: a rank that has not throws at
/// once.
std::shared_ptr<Communicator> make_world(const detail::LaunchedRank& launched, const NcclOptions& options) {
  const auto place_to_meet =
      sync::rendezvous_place(launched, [](const char* name) { return std::getenv(name); });
  Deadline deadline = Deadline::after(options.setup_deadline);
  const Place place{launched.rank, launched.size};
  const auto buffer = make_buffer(options.device, place);
  ncclUniqueId id = place.rank == 0 ? nccl_id() : ncclUniqueId{};
  static_cast<void>(sync::nccl());
  const std::string bytes =
      sync::meet(place_to_meet, place.rank, place.size, {id.internal, sizeof id.internal}, deadline);
  if (bytes.size() != sizeof id.internal) {
    throw CommunicationError("rank 0 sent something else than an id of NCCL", {});
  }
  std::memcpy(id.internal, bytes.data(), sizeof id.internal);
  return std::make_shared<NcclCommunicator>(id, place, buffer, options, deadline);
}

}  // namespace

ncclUniqueId nccl_id() {
  ncclUniqueId id;
  CONTEXTUAL_NCCL(ncclGetUniqueId(&id));
  return id;
}

std::shared_ptr<Communicator> nccl_communicator(const ncclUniqueId& id, int rank, int size,
                                                const NcclOptions& options) {
  const Place place{rank, size};
  check_place(place);
  Deadline deadline = Deadline::after(options.setup_deadline);
  return std::make_shared<NcclCommunicator>(id, place, make_buffer(options.device, place), options, deadline);
}

std::shared_ptr<Communicator> nccl_communicator(int rank, int size, const NcclBroadcast& broadcast,
                                                const NcclOptions& options) {
  check_place({rank, size});
  ncclUniqueId id{};
  if (rank == 0) {
    id = nccl_id();
  }
  broadcast(id);
  return nccl_communicator(id, rank, size, options);
}

std::shared_ptr<Communicator> nccl_communicator(ncclComm_t application, const NcclOptions& options) {
  if (application == nullptr) {
    throw InvalidArgument("nccl_communicator got no communicator of the application, but null");
  }
  Deadline deadline = Deadline::after(options.setup_deadline);
  Place place;
  int device = 0;
  CONTEXTUAL_NCCL(ncclCommUserRank(application, &place.rank));
  CONTEXTUAL_NCCL(ncclCommCount(application, &place.size));
  CONTEXTUAL_NCCL(ncclCommCuDevice(application, &device));
  const auto buffer = make_buffer(options.device ? *options.device : device, place);
  const ncclUniqueId own = place.rank == 0 ? nccl_id() : ncclUniqueId{};
  const ncclUniqueId id = sync::carry_id(application, own, buffer, deadline);
  return std::make_shared<NcclCommunicator>(id, place, buffer, options, deadline);
}

std::shared_ptr<Communicator> nccl_world(const NcclOptions& options) {
  static std::mutex mutex;
  static auto* const world =
      new std::shared_ptr<Communicator>;  // never destroyed: static tuners may be used late
  const std::lock_guard lock(mutex);
  if (!*world) {
    const auto launched = detail::launched_rank();
    *world = launched ? make_world(*launched, options) : one_rank();
  }
  return *world;
}

std::string nccl_problem() noexcept {
  return sync::nccl_problem_of_process();
}

std::string nccl_error_text(ncclResult_t code) {
  return sync::error_text(code);
}

}  // namespace contextual

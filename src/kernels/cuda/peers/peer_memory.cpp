#include "kernels/cuda/peers/peer_memory.hpp"

#include "kernels/cuda/cuda_check.hpp"

#include <contextual/deadline.hpp>
#include <contextual/error.hpp>

#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <string_view>
#include <utility>

namespace contextual::kernels::cuda {
namespace {

/// What a rank tells the others: the node it is on, then where its memory is; or, behind a mark, why it has
/// none.
constexpr char failure_mark = '!';

/// A device, and memory on it.
struct Place {
  cudaUUID_t device{};
  bool launches_block = false;
  cudaIpcMemHandle_t handle{};
};

/// Differs between nodes, and after a restart of one.
std::string node_name() {
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  return boot;
}

std::string in_rank(int rank, std::string_view what) {
  return "rank " + std::to_string(rank) + ": " + std::string(what);
}

std::string first_of(const std::vector<std::string>& problems) {
  for (const std::string& problem : problems) {
    if (!problem.empty()) {
      return problem;
    }
  }
  return {};
}

}  // namespace

PeerMemory::PeerMemory(std::shared_ptr<Communicator> communicator, std::size_t bytes,
                       std::chrono::nanoseconds deadline)
    : communicator_(std::move(communicator)),
      bytes_(bytes),
      deadline_(deadline),
      memory_(static_cast<std::size_t>(communicator_->size()), nullptr) {
  std::string offer;
  std::exception_ptr failure;
  try {
    offer = share();
  } catch (const Error& error) {
    failure = std::current_exception();
    offer = failure_mark + std::string(error.what());
  }
  const std::vector<std::string> offers = communicator_->all_gather(offer, Deadline::after(deadline_));
  const std::string own_problem = failure ? "" : open_all(offers);
  problem_ = first_of(communicator_->all_gather(own_problem, Deadline::after(deadline_)));
  if (!problem_.empty()) {
    close_all();
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
}

PeerMemory::~PeerMemory() {
  close_all();
  try {
    communicator_->all_gather({}, Deadline::after(deadline_));
  } catch (...) {
    return;  // another rank may still read it
  }
  int current = 0;
  cudaGetDevice(&current);
  cudaSetDevice(device_);
  cudaFree(own());
  cudaSetDevice(current);
}

/// Returns the offer of this rank.
std::string PeerMemory::share() {
  CONTEXTUAL_KERNELS_CUDA(cudaGetDevice(&device_));
  void* memory = nullptr;
  CONTEXTUAL_KERNELS_CUDA(cudaMalloc(&memory, bytes_));
  memory_[static_cast<std::size_t>(communicator_->rank())] = static_cast<std::byte*>(memory);
  CONTEXTUAL_KERNELS_CUDA(cudaMemset(memory, 0, bytes_));
  CONTEXTUAL_KERNELS_CUDA(cudaDeviceSynchronize());
  Place place;
  cudaDeviceProp properties{};
  CONTEXTUAL_KERNELS_CUDA(cudaGetDeviceProperties(&properties, device_));
  place.device = properties.uuid;
  const char* const blocking = std::getenv("CUDA_LAUNCH_BLOCKING");
  place.launches_block = blocking != nullptr && std::string_view(blocking) != "0";
  if (const cudaError_t code = cudaIpcGetMemHandle(&place.handle, memory); code != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return failure_mark + ("cudaIpcGetMemHandle failed: " + cuda_error_text(code));
  }
  std::string offer = node_name() + '\n';
  offer.append(reinterpret_cast<const char*>(&place), sizeof(place));
  return offer;
}

/// Returns why this rank cannot use the others' memory; empty if it can.
std::string PeerMemory::open_all(const std::vector<std::string>& offers) {
  const int own_rank = communicator_->rank();
  std::set<std::string> devices;
  for (int rank = 0; rank < communicator_->size(); ++rank) {
    const std::string& offer = offers[static_cast<std::size_t>(rank)];
    if (offer.starts_with(failure_mark)) {
      return in_rank(rank, offer.substr(1));
    }
    const std::size_t end_of_node = offer.find('\n');
    if (offer.substr(0, end_of_node) != node_name()) {
      return in_rank(own_rank, "is on another node than rank " + std::to_string(rank));
    }
    Place place;
    std::memcpy(&place, offer.data() + end_of_node + 1, sizeof(place));
    const bool is_alone = devices.emplace(place.device.bytes, sizeof(place.device.bytes)).second;
    copies_overlap_ = copies_overlap_ && is_alone && !place.launches_block;
    if (rank == own_rank) {
      continue;
    }
    void* memory = nullptr;
    if (const cudaError_t code = cudaIpcOpenMemHandle(&memory, place.handle, cudaIpcMemLazyEnablePeerAccess);
        code != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      return in_rank(own_rank, "cannot open the memory of rank " + std::to_string(rank) +
                                   ": cudaIpcOpenMemHandle failed: " + cuda_error_text(code));
    }
    memory_[static_cast<std::size_t>(rank)] = static_cast<std::byte*>(memory);
  }
  return {};
}

void PeerMemory::close_all() noexcept {
  for (int rank = 0; rank < communicator_->size(); ++rank) {
    std::byte*& memory = memory_[static_cast<std::size_t>(rank)];
    if (rank != communicator_->rank() && memory != nullptr) {
      cudaIpcCloseMemHandle(memory);
      memory = nullptr;
    }
  }
}

}  // namespace contextual::kernels::cuda

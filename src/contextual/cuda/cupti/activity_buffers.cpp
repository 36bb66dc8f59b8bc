#include "contextual/cuda/cupti/activity_buffers.hpp"

#include <sys/mman.h>

#include <cstring>

namespace contextual::cuda {
namespace {

/// Pages of their own, zeroed and resident, which go back to the system when they are freed: the buffers of a
/// run are most of its memory, and an allocator might keep them.
std::uint8_t* make() noexcept {
  void* const pages = ::mmap(nullptr, ActivityBuffers::bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  return pages == MAP_FAILED ? nullptr : static_cast<std::uint8_t*>(pages);
}

}  // namespace

ActivityBuffers::ActivityBuffers() noexcept {
  for (std::atomic<std::uint8_t*>& place : idle_) {
    place.store(make(), std::memory_order_release);
  }
}

ActivityBuffers::~ActivityBuffers() {
  for (std::atomic<std::uint8_t*>& place : idle_) {
    free(place.load(std::memory_order_acquire));
  }
}

std::uint8_t* ActivityBuffers::take() noexcept {
  for (std::atomic<std::uint8_t*>& place : idle_) {
    if (std::uint8_t* const buffer = place.exchange(nullptr, std::memory_order_acq_rel)) {
      return buffer;
    }
  }
  return make();
}

void ActivityBuffers::give_back(std::uint8_t* buffer) noexcept {
  std::memset(buffer, 0, bytes);
  for (std::atomic<std::uint8_t*>& place : idle_) {
    std::uint8_t* none = nullptr;
    if (place.compare_exchange_strong(none, buffer, std::memory_order_acq_rel)) {
      return;
    }
  }
  free(buffer);
}

void ActivityBuffers::free(std::uint8_t* buffer) noexcept {
  if (buffer != nullptr) {
    ::munmap(buffer, bytes);
  }
}

}  // namespace contextual::cuda

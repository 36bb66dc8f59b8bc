#include "contextual/cuda/cupti/activity_buffers.hpp"

#include <cstdlib>
#include <cstring>

namespace contextual::cuda {
namespace {

constexpr std::size_t alignment = 8;  // CUPTI's demand

std::uint8_t* make() noexcept {
  auto* const buffer = static_cast<std::uint8_t*>(std::aligned_alloc(alignment, ActivityBuffers::bytes));
  if (buffer != nullptr) {
    std::memset(buffer, 0, ActivityBuffers::bytes);
  }
  return buffer;
}

}  // namespace

ActivityBuffers::ActivityBuffers() noexcept {
  for (std::atomic<std::uint8_t*>& place : idle_) {
    place.store(make(), std::memory_order_release);
  }
}

ActivityBuffers::~ActivityBuffers() {
  for (std::atomic<std::uint8_t*>& place : idle_) {
    std::free(place.load(std::memory_order_acquire));
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
  std::free(buffer);
}

void ActivityBuffers::free(std::uint8_t* buffer) noexcept {
  std::free(buffer);
}

}  // namespace contextual::cuda

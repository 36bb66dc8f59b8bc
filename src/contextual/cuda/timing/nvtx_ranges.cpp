#include "contextual/cuda/timing/nvtx_ranges.hpp"

#include <nvtx3/nvToolsExt.h>

#include <algorithm>
#include <array>
#include <cstdio>

namespace contextual::cuda {
namespace {

using Message = std::array<char, 256>;

nvtxDomainHandle_t domain() noexcept {
  static nvtxDomainHandle_t const made = nvtxDomainCreateA("contextual");  // never destroyed
  return made;
}

void push_range(nvtxDomainHandle_t domain, const Message& message, std::uint64_t payload) noexcept {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
  attributes.payload.ullValue = payload;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = message.data();
  nvtxDomainRangePushEx(domain, &attributes);
}

}  // namespace

NvtxRanges::NvtxRanges() noexcept : domain_(domain()) {}

NvtxRanges::~NvtxRanges() {
  end_iteration();
}

void NvtxRanges::push_iteration(std::int64_t tuning_iteration) noexcept {
  pop_iteration();  // the region threw in the one before
  Message message{};
  const bool named = knows_region_.load(std::memory_order_acquire);
  std::snprintf(message.data(), message.size(), "%s%stuning iteration %lld", named ? region_ : "",
                named ? ": " : "", static_cast<long long>(tuning_iteration));
  push_range(domain_, message, static_cast<std::uint64_t>(tuning_iteration));
  in_iteration_ = true;
}

void NvtxRanges::pop_iteration() noexcept {
  if (in_iteration_) {
    in_iteration_ = false;
    pop();
  }
}

void NvtxRanges::push_launch(const LaunchInfo& launch) noexcept {
  if (!knows_region_.load(std::memory_order_acquire)) {
    learn_region(launch.region);
  }
  Message message{};
  const int length = static_cast<int>(std::min(launch.kernel.size(), most_characters));
  std::snprintf(message.data(), message.size(), "%.*s config-%zu%s", length, launch.kernel.data(),
                launch.config_id, launch.warmup ? " (warm-up)" : "");
  push_range(domain_, message, launch.config_id);
}

void NvtxRanges::pop() noexcept {
  nvtxDomainRangePop(domain_);
}

/// With a tool only, and once a run: the lock costs nobody else anything.
void NvtxRanges::learn_region(std::string_view region) noexcept {
  const std::lock_guard lock(learning_);
  if (!knows_region_.load(std::memory_order_relaxed)) {
    region.copy(region_, most_characters);
    knows_region_.store(true, std::memory_order_release);
  }
}

}  // namespace contextual::cuda

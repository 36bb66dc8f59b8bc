#include "contextual/measure/buffer_copies.hpp"

#include "contextual/measure/no_room.hpp"

#include <contextual/detail/measure/device_buffers.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>

namespace contextual::measure {
namespace {

void wait_for_devices() {
  if (const detail::DeviceBuffers* const devices = detail::device_buffers()) {
    devices->wait();
  }
}

}  // namespace

void throw_no_room(const std::string& buffer, std::size_t bytes, int rank, const std::string& cause) {
  constexpr double mebibyte = 1 << 20;
  char size[64];
  std::snprintf(size, sizeof(size), "%.1f MiB, %zu bytes", static_cast<double>(bytes) / mebibyte, bytes);
  throw Error(buffer + " needs a copy of " + size + ", and rank " + std::to_string(rank) +
              " has no memory for it: " + cause);
}

void BufferCopies::find_room(int rank) {
  if (!copies_.empty()) {
    return;
  }
  std::vector<Copy> copies;
  for (const Restored& buffer : buffers_) {
    Copy& copy = copies.emplace_back(Copy{buffer});
    if (buffer.size_bytes == 0) {
      continue;
    }
    const detail::DeviceBuffers* const device = detail::device_of(buffer.data);
    copy.on_device = device != nullptr;
    with_room("option `restore`: buffer \"" + buffer.name + "\"", buffer.size_bytes, rank, [&] {
      copy.copy = device != nullptr ? device->memory_beside(buffer.data, buffer.size_bytes)
                                    : std::shared_ptr<std::byte>(new std::byte[buffer.size_bytes],
                                                                 std::default_delete<std::byte[]>());
    });
  }
  copies_ = std::move(copies);
}

void BufferCopies::take() {
  if (taken_) {
    return;
  }
  wait_for_devices();
  const auto begin = std::chrono::steady_clock::now();
  for (const Copy& copy : copies_) {
    if (copy.on_device) {
      detail::device_buffers()->copy(copy.copy.get(), copy.buffer.data, copy.buffer.size_bytes);
    } else if (copy.buffer.size_bytes > 0) {
      std::memcpy(copy.copy.get(), copy.buffer.data, copy.buffer.size_bytes);
    }
  }
  taking_ = std::chrono::steady_clock::now() - begin;
  taken_ = true;
}

void BufferCopies::bring_back() const {
  if (std::any_of(copies_.begin(), copies_.end(), [](const Copy& copy) { return !copy.on_device; })) {
    wait_for_devices();
  }
  for (const Copy& copy : copies_) {
    if (copy.on_device) {
      detail::device_buffers()->copy_in_order(copy.buffer.data, copy.copy.get(), copy.buffer.size_bytes);
    } else if (copy.buffer.size_bytes > 0) {
      std::memcpy(copy.buffer.data, copy.copy.get(), copy.buffer.size_bytes);
    }
  }
}

std::string BufferCopies::cost_text() const {
  constexpr double mebibyte = 1 << 20;
  const std::size_t bytes =
      std::accumulate(copies_.begin(), copies_.end(), std::size_t{0},
                      [](std::size_t sum, const Copy& copy) { return sum + copy.buffer.size_bytes; });
  char text[160];
  std::snprintf(text, sizeof(text),
                "`restore` copies %.1f MiB back before each run of the region, not timed; the first copy of "
                "that took %.2f ms",
                static_cast<double>(bytes) / mebibyte,
                std::chrono::duration<double, std::milli>(taking_).count());
  return text;
}

}  // namespace contextual::measure

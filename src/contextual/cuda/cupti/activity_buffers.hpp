#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace contextual::cuda {

/// Buffers for CUPTI's records. They are allocated, touched and zeroed in advance, because CUPTI asks for a
/// buffer inside a launch. Takes no lock.
class ActivityBuffers {
 public:
  static constexpr std::size_t bytes = std::size_t{1} << 20;  // some thousand records

  /// Allocates the buffers. If memory runs out, there are fewer.
  ActivityBuffers() noexcept;
  ActivityBuffers(const ActivityBuffers&) = delete;
  ActivityBuffers& operator=(const ActivityBuffers&) = delete;
  /// Frees the buffers that were given back.
  ~ActivityBuffers();

  /// Returns a zeroed buffer, which is a new one if all are in use, or null without memory.
  std::uint8_t* take() noexcept;
  void give_back(std::uint8_t* buffer) noexcept;
  /// Frees a buffer, for example one that comes back after its owner was destroyed. Null is allowed.
  static void free(std::uint8_t* buffer) noexcept;

 private:
  static constexpr std::size_t count = 4;  // CUPTI fills one or two at a time
  std::array<std::atomic<std::uint8_t*>, count> idle_{};
};

}  // namespace contextual::cuda

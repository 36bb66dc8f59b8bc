#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace contextual::cuda {

/// Buffers for CUPTI's records, made, touched and zeroed ahead, because CUPTI asks for one inside a launch.
/// No lock.
class ActivityBuffers {
 public:
  static constexpr std::size_t bytes = std::size_t{1} << 20;  // some thousand records

  /// Those that cannot be had are missing.
  ActivityBuffers() noexcept;
  ActivityBuffers(const ActivityBuffers&) = delete;
  ActivityBuffers& operator=(const ActivityBuffers&) = delete;
  /// Frees those that were given back.
  ~ActivityBuffers();

  /// A zeroed buffer, a new one where all are in use; null without memory.
  std::uint8_t* take() noexcept;
  void give_back(std::uint8_t* buffer) noexcept;
  /// For a buffer that comes back when its owner is gone.
  static void free(std::uint8_t* buffer) noexcept;

 private:
  static constexpr std::size_t count = 4;  // CUPTI fills one or two at a time
  std::array<std::atomic<std::uint8_t*>, count> idle_{};
};

}  // namespace contextual::cuda

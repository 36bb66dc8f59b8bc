#pragma once

#include <contextual/output.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace contextual::measure {

/// Copies of buffers, which bring back what these held. Not thread-safe.
class BufferCopies {
 public:
  explicit BufferCopies(std::vector<Restored> buffers) : buffers_(std::move(buffers)) {}

  /// Takes the copies, each in the memory where the buffer is. Waits for the devices before and for the
  /// copies. Has no effect if they were taken before. Throws Error if there is no room, which names the
  /// buffer and its size, and `rank`, which is this one.
  void take(int rank);

  /// Copies back what was taken. Buffers of the host wait for the devices before; those of a device are
  /// copied on the device, after all that was submitted before it and before all that is submitted after it.
  void bring_back() const;

  /// Says how much is copied, and how long it took.
  std::string cost_text() const;

 private:
  struct Copy;
  static void find_room(Copy& copy);
  struct Copy {
    Restored buffer;
    std::shared_ptr<std::byte> copy{};
    bool on_device = false;
  };
  std::vector<Restored> buffers_;
  std::vector<Copy> copies_;
  std::chrono::nanoseconds taking_{0};
};

}  // namespace contextual::measure

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

  /// Finds memory for the copies, each where the buffer is. Throws Error if there is none, which names the
  /// buffer and its size, and `rank`, which is this one. Has no effect if it was found before.
  void find_room(int rank);

  /// Takes the copies, for which there is room. Waits for the devices before and for the copies. Has no
  /// effect if they were taken before.
  void take();

  /// Copies back what was taken. Buffers of the host wait for the devices before; those of a device are
  /// copied on the device, after all that was submitted before it and before all that is submitted after it.
  void bring_back() const;

  /// Says how much is copied, and how long it took.
  std::string cost_text() const;

 private:
  struct Copy {
    Restored buffer;
    std::shared_ptr<std::byte> copy{};
    bool on_device = false;
  };
  std::vector<Restored> buffers_;
  std::vector<Copy> copies_;
  bool taken_ = false;
  std::chrono::nanoseconds taking_{0};
};

}  // namespace contextual::measure

#pragma once

/// \file
/// A process with devices of two kinds.

#include <contextual/detail/launch/device_kind.hpp>

#include <cstdint>
#include <string>

namespace contextual::test {

/// Launches are for the device that `current` says, on each thread: the kind is "H" and that number. In force
/// while it lives.
class TwoKinds {
 public:
  TwoKinds() { detail::set_device_kinds(&kinds); }
  TwoKinds(const TwoKinds&) = delete;
  TwoKinds& operator=(const TwoKinds&) = delete;
  ~TwoKinds() { detail::set_device_kinds(nullptr); }

  static inline thread_local std::uint64_t current = 0;

 private:
  static constexpr detail::DeviceKinds kinds{[]() noexcept { return current; },
                                             [](std::uint64_t word) { return "H" + std::to_string(word); }};
};

}  // namespace contextual::test

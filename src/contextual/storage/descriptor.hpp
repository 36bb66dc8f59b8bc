#pragma once

/// \file
/// An open file or directory.

#include "contextual/storage/file_calls.hpp"

#include <utility>

namespace contextual::storage {

/// A file descriptor that is closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  bool open() const noexcept { return number_ >= 0; }
  int release() noexcept { return std::exchange(number_, -1); }
  int get() const noexcept { return number_; }
  /// Returns false, with errno, if what was written is not sure to be kept.
  bool close() noexcept {
    const int number = release();
    return number < 0 || file_calls().close(number) == 0;
  }

 private:
  int number_;
};

}  // namespace contextual::storage

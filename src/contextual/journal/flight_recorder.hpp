#pragma once

/// \file
/// Says which assignments were running when a process died, however it died.

#include "contextual/storage/descriptor.hpp"

#include <contextual/detail/storage/trusted_folder.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace contextual::journal {

/// What a process may have died of.
struct Flight {
  std::uint64_t batch = 0;               ///< counted from 1; 0: nothing was in flight
  std::vector<std::string> assignments;  ///< one of them is to blame
};

/// A file of one rank that is mapped into memory, so that what is written there outlives the process without
/// a call of the system. One thread uses it. Where it cannot be had, nothing is recorded.
class FlightRecorder {
 public:
  FlightRecorder(const detail::TrustedFolder& folder, const std::string& name);
  FlightRecorder(const FlightRecorder&) = delete;
  FlightRecorder& operator=(const FlightRecorder&) = delete;
  ~FlightRecorder();

  /// Returns what was in flight when the process before this one ended, until `take_off` or `landed`.
  Flight found() const;

  /// From now on the process may die of one of these assignments, which may be equal. `batch` is that of
  /// Flight.
  void take_off(std::uint64_t batch, const std::vector<std::string>& assignments);
  void landed() noexcept;

  /// Removes the file.
  void remove() noexcept;

 private:
  struct Page;

  std::filesystem::path path_;
  storage::Descriptor file_;  ///< open, because its lock says that the file is in use
  Page* page_ = nullptr;
};

}  // namespace contextual::journal

#pragma once

/// \file
/// What a rank tells the script that started it: JSON lines in a file of its own, each written at once, so
/// that a rank that is killed leaves whole lines. Times are of the monotonic clock, which all processes of a
/// machine share.

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>

namespace faults {

std::int64_t now_ns();

class ResultFile {
 public:
  /// Throws std::system_error when the file cannot be opened.
  explicit ResultFile(const std::filesystem::path& file);
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;
  ~ResultFile();

  /// Adds `at_ns`. May be called by several threads.
  void write(nlohmann::json record) const;

 private:
  int descriptor_;
};

}  // namespace faults

#pragma once

/// \file
/// The lines of a stream.

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace contextual::log_report {

/// Cuts a stream into lines without ever holding more than one of them.
class LineSplitter {
 public:
  static constexpr std::size_t max_line_bytes = std::size_t{4} << 20U;

  /// Reads at most `size` bytes. `stream` must outlive the object.
  LineSplitter(std::istream& stream, std::uint64_t size);

  /// Goes to the next line. Returns false at the end of the stream.
  bool next();

  const std::string& line() const { return line_; }  ///< without its line end; incomplete if it is too long
  bool too_long() const { return too_long_; }        ///< true if it is longer than max_line_bytes
  bool complete() const { return complete_; }        ///< true if it has a line end

 private:
  bool fill();

  std::istream* stream_;
  std::uint64_t left_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::string line_;
  bool too_long_ = false;
  bool complete_ = false;
};

}  // namespace contextual::log_report

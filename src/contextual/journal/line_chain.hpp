#pragma once

/// \file
/// Lines of a file of which each one is bound to all before it, so that none can be changed, left out or
/// moved without notice. Pure.

#include <contextual/detail/config/stable_hash.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::journal {

/// Makes the lines of a file, in their order.
class LineChain {
 public:
  /// Returns the next line, with a digest before it and a line end behind it. `text` must not have one.
  std::string add(std::string_view text);

 private:
  detail::StableHash digest_;
};

/// A line that is right, with the size of the file up to its end.
struct ChainedLine {
  std::string text;
  std::size_t end_bytes = 0;
};

/// Returns the lines up to the first one that is damaged, incomplete or out of place.
std::vector<ChainedLine> read_lines(std::string_view file);

}  // namespace contextual::journal

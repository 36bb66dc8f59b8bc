#pragma once

/// \file
/// The choices of a run as lines for people. Pure.

#include "contextual/record/text_table.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::record {

/// A line on one choice. Every text is on one line; what is empty leaves its column empty.
struct ChoiceLine {
  std::string kernel{};
  std::string key{};
  std::string config{};
  std::string time{};
  std::string gain{};  ///< to the default
  std::string note{};  ///< e.g. "pinned"
};

/// Returns the lines, in columns that are aligned: texts to the left, numbers to the right. No line is longer
/// than `width` columns, or than 40 if that is more. Configs that have no room in their column, and then
/// keys, have lines of their own below the kernel's, and then kernels one above.
std::string choice_lines(const std::vector<ChoiceLine>& lines, std::size_t width);

/// Returns `text` in lines of at most `wanted_width` columns, or 40 if that is more, broken at spaces where
/// there are any. The second line and those after it begin with four spaces more than the first. Lines of
/// `text` stay apart, and each ends with a line end.
std::string wrapped(std::string_view text, std::size_t wanted_width);

}  // namespace contextual::record

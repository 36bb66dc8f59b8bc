#include "contextual/journal/line_chain.hpp"

#include <contextual/detail/config/hex_text.hpp>

namespace contextual::journal {

std::string LineChain::add(std::string_view text) {
  digest_.add(text);
  return detail::hex_text(digest_.value()).append(" ").append(text).append("\n");
}

std::vector<ChainedLine> read_lines(std::string_view file) {
  std::vector<ChainedLine> lines;
  LineChain chain;
  for (std::size_t begin = 0; begin < file.size();) {
    const std::size_t end = file.find('\n', begin);
    const std::size_t gap = file.find(' ', begin);
    if (end == std::string_view::npos || gap >= end) {
      break;
    }
    const std::string_view text = file.substr(gap + 1, end - gap - 1);
    if (file.substr(begin, end + 1 - begin) != chain.add(text)) {
      break;
    }
    begin = end + 1;
    lines.push_back({std::string(text), begin});
  }
  return lines;
}

}  // namespace contextual::journal

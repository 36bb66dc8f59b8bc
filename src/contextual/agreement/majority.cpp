#include "contextual/agreement/majority.hpp"

#include <map>
#include <string_view>

namespace contextual::agreement {

Majority majority_of(const std::vector<std::string>& texts) {
  std::map<std::string_view, std::size_t> counts;
  for (const std::string& text : texts) {
    ++counts[text];
  }
  Majority majority;
  for (std::size_t rank = 1; rank < texts.size(); ++rank) {
    if (counts[texts[rank]] > counts[texts[majority.reference]]) {
      majority.reference = rank;
    }
  }
  const std::string& reference = texts[majority.reference];
  const bool clear = 2 * counts[reference] > texts.size();
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    if (!clear || texts[rank] != reference) {
      majority.differing.push_back(static_cast<int>(rank));
    }
  }
  return majority;
}

}  // namespace contextual::agreement

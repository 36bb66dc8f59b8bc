#include "contextual/policy/text.hpp"

#include <array>
#include <charconv>

namespace contextual::policy {

std::string percent(double fraction) {
  std::array<char, 64> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), fraction * 100,
                                          std::chars_format::fixed, 1);
  return (error == std::errc{} ? std::string(digits.data(), end) : std::string("?")) + " %";
}

std::string config_name(std::size_t config_id) {
  return "config-" + std::to_string(config_id);
}

}  // namespace contextual::policy

#include "contextual/config/key_part_texts.hpp"
#include "contextual/config/long_keys.hpp"

#include <contextual/error.hpp>
#include <contextual/key.hpp>

namespace contextual {

void detail::refuse_nul(std::string_view text) {
  throw InvalidArgument("key: the text \"" + std::string(text.substr(0, text.find('\0'))) +
                        "\" contains a NUL character: give text without NUL characters");
}

bool Key::shows_parts() const noexcept {
  return detail::has_words(*this);
}

std::string Key::to_string() const {
  std::string out = "(";
  for (const std::string& part : detail::key_part_texts(*this)) {
    out += (out.size() > 1 ? ", " : "") + part;
  }
  return out + ")";
}

std::string Key::to_string(const std::vector<std::string>& names) const {
  const std::vector<std::string> parts = detail::key_part_texts(*this);
  const std::size_t named = shows_parts() ? names.size() : 0;
  std::string out = "{";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    out += (i > 0 ? ", " : "") + (i < named ? names[i] + ": " : "") + parts[i];
  }
  return out + "}";
}

}  // namespace contextual

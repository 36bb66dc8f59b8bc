#include "contextual/config/key_part_texts.hpp"

#include <contextual/error.hpp>
#include <contextual/key.hpp>

namespace contextual {

void detail::refuse_nul(std::string_view text) {
  throw InvalidArgument("key: the text \"" + std::string(text.substr(0, text.find('\0'))) +
                        "\" contains a NUL character: give text without NUL characters");
}

std::string Key::to_string() const {
  return to_string({});
}

std::string Key::to_string(const std::vector<std::string>& names) const {
  return detail::key_text(detail::words_of(*this), names);
}

}  // namespace contextual

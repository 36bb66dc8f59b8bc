#include "contextual/config/pin.hpp"

namespace contextual::detail {

bool Pin::is_for(const Key& of_key, const std::string& of_text, std::uint64_t in) const {
  if (scope && *scope != in) {
    return false;
  }
  return of_every_key() ||
         (key ? *key == of_key : key_text == of_text || of_text.starts_with(key_text + " in "));
}

}  // namespace contextual::detail

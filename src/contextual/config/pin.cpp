#include "contextual/config/pin.hpp"

namespace contextual::detail {

bool Pin::is_for(const Key& of_key, const std::string& of_text, std::uint64_t in) const {
  if (scope && *scope != in) {
    return false;
  }
  if (of_every_key() || key) {
    return !key || *key == of_key;
  }
  return !of_key.is_digest() && (key_text == of_text || of_text.starts_with(key_text + " in "));
}

}  // namespace contextual::detail

#include <contextual/cache_directory.hpp>

#include <cstdlib>

namespace contextual {

std::filesystem::path cache_directory() {
  if (const char* own = std::getenv("CONTEXTUAL_CACHE_DIR"); own != nullptr) {
    return own;
  }
  const char* home = std::getenv("HOME");
  return home != nullptr && *home != '\0' ? std::filesystem::path(home) / ".contextual"
                                          : std::filesystem::path();
}

}  // namespace contextual

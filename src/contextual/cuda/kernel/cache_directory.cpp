#include <contextual/cuda/cache_directory.hpp>

#include <cstdlib>

namespace contextual {

std::filesystem::path cuda_cache_directory() {
  if (const char* own = std::getenv("CONTEXTUAL_CACHE_DIR"); own != nullptr) {
    return *own == '\0' ? std::filesystem::path() : std::filesystem::path(own) / "cubin";
  }
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0') {
    return std::filesystem::path(cache) / "contextual" / "cubin";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return std::filesystem::path(home) / ".cache" / "contextual" / "cubin";
  }
  return {};
}

}  // namespace contextual

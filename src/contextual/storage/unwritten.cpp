#include "contextual/storage/unwritten.hpp"

#include <contextual/detail/storage/trusted_folder.hpp>

namespace contextual::storage {

std::string unwritten_warning(const std::filesystem::path& directory, const std::string& what,
                              const std::string& problem) {
  const std::string why = detail::TrustedFolder(directory, {}).why_unwritable();
  if (why.empty()) {
    return what + ": " + problem;
  }
  const std::string warning = "no choices are kept, and no run can be resumed: " + why;
  return is_new("unwritten " + directory.string()) ? warning : std::string();
}

bool is_unwritable(const std::filesystem::path& directory) {
  return !detail::TrustedFolder(directory, {}).why_unwritable().empty();
}

}  // namespace contextual::storage

#pragma once

/// \file
/// Opens folders that nobody else can have written.

#include "contextual/storage/descriptor.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <utility>

namespace contextual::storage {

/// Returns "path: what: " and the text of `code`.
std::string failure_text(const std::filesystem::path& path, const char* what, int code = errno);

/// Returns why what is open cannot be believed, or an empty text.
std::string distrust(const struct stat& status);

/// Something open, or why it is not: a refusal, or nothing where it does not exist.
struct Opened {
  Descriptor descriptor;
  std::string refusal{};
  int code = 0;  ///< errno of the call that failed

  bool missing() const noexcept { return code == ENOENT; }
  /// A network file system has remembered something that is not there any more. It looks again when it is
  /// asked again from the root on.
  bool stale() const noexcept { return code == ESTALE; }
};

/// Returns what `openat` says in errno of a path that it has not opened.
Opened not_opened(const std::filesystem::path& path);

/// Opens the folder `name`, of one or several parts, in the root. Whatever belongs to somebody else, can be
/// written by others (unless whoever can is trusted) or is a link is refused; the root itself may be a link,
/// because whoever sets the variable chooses where it leads.
Opened open_folder(const std::filesystem::path& root, const std::filesystem::path& name, bool trusted);

/// Opens it as `open_folder`, and makes what is missing of it.
Opened make_folder(const std::filesystem::path& root, const std::filesystem::path& name, bool trusted);

/// Calls `once` again if what it returns is stale.
template <typename Once>
auto twice_if_stale(const Once& once) {
  auto result = once();
  return result.stale() ? once() : std::move(result);
}

}  // namespace contextual::storage

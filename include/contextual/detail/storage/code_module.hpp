#pragma once

/// \file
/// Which program or shared library code is of, as a name for exactly this build of it.

#include <contextual/export.hpp>

#include <filesystem>
#include <string>

namespace contextual::detail {

/// A program or a shared library.
struct CodeModule {
  std::string name;  ///< of its file, for people
  /// The build id that the linker gave it, in hexadecimal digits. Without one, "code " and a digest of what
  /// is loaded of it and never written: its code and constants. Both are the same for equal files, wherever
  /// they are.
  std::string id;
};

/// Returns the loaded module that the address is in, or empty texts. Remembers each module, so that only the
/// first call reads what it is: a few microseconds, or without a build id about a millisecond for each MB of
/// it. Thread-safe.
CONTEXTUAL_API CodeModule module_of(const void* address) noexcept;

/// Returns the build id of a file, of which it reads only the notes; empty if there is none.
CONTEXTUAL_API std::string build_id_of(const std::filesystem::path& file) noexcept;

}  // namespace contextual::detail

#pragma once

/// \file
/// Files that a user has named, which are read and written as a whole.

#include <filesystem>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <string_view>

namespace contextual::cache_tool {

/// A file, or a standard stream, cannot be read or written. The text names it.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Returns all that is left in the stream; `name` is for the error. Throws FileError.
std::string read_whole(std::istream& from, const std::string& name);

/// Returns what is in the file. Throws FileError.
std::string read_whole(const std::filesystem::path& file);

/// Writes aside, to a name of its own in the same folder, and renames, so that a file that is there stays as
/// it is until the new one is whole; the new one has its permissions. What a link leads to is replaced, and
/// what is in /dev is appended to. Throws FileError.
void write_whole(const std::filesystem::path& file, std::string_view text);

}  // namespace contextual::cache_tool

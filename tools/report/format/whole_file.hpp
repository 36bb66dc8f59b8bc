#pragma once

/// \file
/// Files that a user has named, which are read and written as a whole.

#include <filesystem>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <string_view>

namespace contextual::log_report {

/// A file, or a standard stream, cannot be read or written. The text names it.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Returns all that is left in the stream; `name` is for the error. Throws FileError.
std::string read_whole(std::istream& from, const std::string& name);

/// Returns what is in the file. Throws FileError.
std::string read_whole(const std::filesystem::path& file);

/// Writes beside the file and renames, so that a file that is there stays as it is until the new one is
/// whole. What a link leads to, and a device, is written directly. Throws FileError.
void write_whole(const std::filesystem::path& file, std::string_view text);

}  // namespace contextual::log_report

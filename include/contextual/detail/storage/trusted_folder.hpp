#pragma once

/// \file
/// Files that outlive the process, which are believed only where nobody else can have written them.

#include <contextual/export.hpp>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::detail {

/// A folder within a root directory. What is in it may be code that is going to run, so a file is read only
/// if it, the folder and the root belong to this user or to root and cannot be written by anyone else, and if
/// neither file nor folder is a link. Where CONTEXTUAL_TRUSTED_CACHE_DIR names the root, whoever can write
/// there is trusted: links are refused all the same.
///
/// A file is written under a name of its own, which no other process or node uses, and then renamed, so that
/// others see all of it or nothing. What a process has left that ended while it wrote, the next one removes
/// after an hour. Directories are made with mode 0700 and files with 0600; in a trusted
/// root with what the umask leaves.
///
/// What a network file system has remembered wrongly (ESTALE) is looked at once more. Thread-safe. Throws
/// nothing but std::bad_alloc.
class CONTEXTUAL_API TrustedFolder {
 public:
  /// `name` may have several parts: each of them is a folder that must be believed.
  /// A relative root stays where it was when this process first named it.
  TrustedFolder(std::filesystem::path root, std::filesystem::path name);

  struct Reading {
    std::optional<std::string> text;  ///< empty if there is no such file, or if it is not believed
    std::string refusal{};            ///< why it is not believed, with its path; else empty
    bool shortage = false;            ///< the refusal is for want of descriptors or memory, which passes
  };
  /// A longer file is not believed, and not read either.
  Reading read(const std::string& file, std::size_t most_bytes = std::size_t{256} << 20U) const;

  /// Replaces the file if it exists. Returns what went wrong, with the path, or an empty text. After a
  /// failure nothing is left of it. `still` is called when all of it is on the disk under another name; if it
  /// returns false, nothing is replaced.
  std::string write(const std::string& file, std::string_view text,
                    const std::function<bool()>& still = {}) const;

  /// Makes an empty file unless it exists, without waiting for the disk. Returns what went wrong, or an empty
  /// text.
  std::string make(const std::string& file) const;

  /// Returns the names of what is there with this ending, in no order; none if there is no folder. All, or
  /// none, and then why the folder is not believed or cannot be listed.
  std::vector<std::string> files(std::string_view ending, std::string* refusal = nullptr) const;

  /// Returns the names of files that `write` was writing when its process ended: nobody has written to them
  /// for an hour.
  std::vector<std::string> abandoned_files() const;
  /// Returns why nothing can be written in the folder, with its path, or an empty text. Makes it if there is
  /// none.
  std::string why_unwritable() const;
  /// Returns true unless it is known that there is no such file, whoever has written it.
  bool may_have(const std::string& file) const;

  /// Removes a file. Returns what went wrong, or an empty text; also if there is no such file any more.
  std::string remove(const std::string& file) const;

  const std::filesystem::path& root() const noexcept { return root_; }
  std::filesystem::path path() const { return root_ / name_; }

 private:
  std::filesystem::path root_;
  std::filesystem::path name_;
  bool trusted_;  ///< whoever can write in the root
};

}  // namespace contextual::detail

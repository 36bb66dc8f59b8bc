#pragma once

/// \file
/// What the compiler is given for a source, so that what it reads does not depend on the current directory.

#include "contextual/cuda/api/nvrtc.hpp"

#include <contextual/cuda/program.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::cuda {

/// Where NVRTC finds the headers of one source, and how macros reach it. A value type.
///
/// NVRTC first looks for `#include "..."` beside the file that has it, which it takes to be in the current
/// directory when its name has no folder. So a file is named with its folder, a text with a folder that
/// cannot exist, and an embedded header looks in the folders of the input alone.
class CompilerInput {
 public:
  /// Paths are relative to the current directory of this call. `cccl` is the toolkit's folder of that name.
  explicit CompilerInput(const CudaSource& source, std::filesystem::path cccl = cccl_folder());

  /// For NVRTC. Its messages name a file like this, and a text as `shown_name`.
  const std::string& name() const noexcept { return name_; }
  const std::string& shown_name() const noexcept { return shown_name_; }
  const std::filesystem::path& file() const noexcept { return file_; }  ///< empty for a text
  const std::vector<CudaSource::Header>& headers() const noexcept { return headers_; }
  /// That are searched for headers, in this order: the file's own, and the source's include directories.
  const std::vector<std::filesystem::path>& folders() const noexcept { return folders_; }
  /// Of the toolkit, where `<cuda/std/...>` is, searched last; empty where there is none.
  const std::filesystem::path& cccl() const noexcept { return cccl_; }

  /// Returns the text with the variant's macros in front, which NVRTC's own header thus does not see. Lines
  /// keep their numbers.
  std::string text_with(const CudaVariant& variant, const std::string& text) const;

 private:
  std::filesystem::path file_;
  std::string name_;
  std::string shown_name_;
  std::vector<CudaSource::Header> headers_;
  std::vector<std::filesystem::path> folders_;
  std::filesystem::path cccl_;
};

/// Returns the values of an option of NVRTC, written as "-Ix", "-I=x", "--include-path=x", or with the value
/// as the next option.
std::vector<std::string> option_values(const std::vector<std::string>& options, std::string_view short_form,
                                       std::string_view long_form);

/// Returns the names of the macros that a variant and the source's options define.
std::vector<std::string> macro_names(const CudaSource& source, const CudaVariant& variant);

/// Returns a text whose lines `#include "..."` are `#include <...>`.
std::string without_own_folder(std::string_view text);

}  // namespace contextual::cuda

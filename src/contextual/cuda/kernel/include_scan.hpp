#pragma once

#include "contextual/cuda/kernel/compiler_input.hpp"

#include <contextual/cuda/program.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace contextual::cuda {

/// What machine code of a source depends on.
struct SourceScan {
  std::uint64_t digest = 0;
  /// An `#include` whose file is known only when the compiler has expanded macros; empty: there is none. The
  /// digest then does not cover that file.
  std::string not_followed{};
};

/// Returns the text of a source, which is read from its file unless it is embedded. Throws InvalidArgument if
/// the file cannot be read.
std::string source_text(const CudaSource& source);

/// Returns a digest of a source, its options, and every header it includes that is embedded or found in one
/// of the folders. Conditions around an `#include` are ignored, and every folder that has a file of that name
/// counts, so the digest may depend on too many headers but never on too few. Headers of the toolkit are not
/// read: NVRTC's build stands for them, and for those of its `cccl` folder that folder's version.
///
/// An `#include MACRO` is followed where the text of a macro without arguments is the name, with all its
/// definitions in the source, its headers, its options and the variants.
SourceScan scan_source(const CudaSource& source, const std::string& text, const CompilerInput& input,
                       const std::vector<CudaVariant>& variants);

}  // namespace contextual::cuda

#pragma once

#include <contextual/cuda/program.hpp>

#include <cstdint>
#include <string>

namespace contextual::cuda {

/// The text of a source: the file's, read now, or what is embedded. Throws InvalidArgument for a file that
/// cannot be read.
std::string source_text(const CudaSource& source);

/// A digest of a source, of every header it includes as far as they are embedded or found in its folder and
/// include directories, and of its options. Conditions around an include are not looked at: too many headers
/// change the digest, never too few. Headers of the toolkit are left to NVRTC's version.
std::uint64_t source_digest(const CudaSource& source, const std::string& text);

}  // namespace contextual::cuda

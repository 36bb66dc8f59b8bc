#pragma once

#include <contextual/cuda/program.hpp>

#include <cstdint>
#include <string>

namespace contextual::cuda {

/// Returns the text of a source, which is read from its file unless it is embedded. Throws InvalidArgument if
/// the file cannot be read.
std::string source_text(const CudaSource& source);

/// Returns a digest of a source, its options, and every header it includes that is embedded or found in its
/// folder or its include directories. Conditions around an `#include` are ignored, so the digest may depend
/// on too many headers but never on too few. It does not cover headers of the toolkit, which NVRTC's version
/// stands for.
std::uint64_t source_digest(const CudaSource& source, const std::string& text);

}  // namespace contextual::cuda

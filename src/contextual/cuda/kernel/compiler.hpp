#pragma once

/// \file
/// Makes machine code from a source and the variant of a config, by NVRTC or from the disk.

#include "contextual/cuda/kernel/compiler_input.hpp"
#include "contextual/cuda/kernel/include_scan.hpp"

#include <contextual/cuda/program.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace contextual::cuda {

/// Machine code of one kernel for one architecture.
struct Cubin {
  std::string code;          ///< bytes
  std::string lowered_name;  ///< the kernel's name in the code
  std::string warnings{};    ///< of the compiler
};

/// The architecture to compile for. Compute capability 9.0 is 90.
struct Architecture {
  int compute_capability = 0;
  /// Returns the architecture for NVRTC, e.g. "sm_90a", where the "a" adds the instructions that only this
  /// generation has.
  std::string option() const;
};

/// Compiles the configs of one source. Reads the source's text and headers once, so that all configs are
/// compiled from the same text. Thread-safe.
class Compiler {
 public:
  /// `cache` is the cache directory, or empty for no cache. `variants` are those that will be compiled, whose
  /// macros may name headers. Paths are relative to the current directory of this call. Throws
  /// InvalidArgument if the source cannot be read.
  Compiler(CudaSource source, std::filesystem::path cache, const std::vector<CudaVariant>& variants = {});

  /// Of the source and its headers.
  std::uint64_t text_digest() const noexcept { return scan_.digest; }

  /// Returns the machine code from the cache, or compiles it by NVRTC and stores it. Throws ConfigRejected
  /// with the compiler's words if the source does not compile, and CudaUnavailable without NVRTC. A cache
  /// that cannot be read or written is not an error.
  Cubin compile(const CudaVariant& variant, const Architecture& architecture) const;

 private:
  std::string key_text(const CudaVariant& variant, const Architecture& architecture) const;
  Cubin compile_now(const CudaVariant& variant, const Architecture& architecture) const;

  CudaSource source_;
  std::filesystem::path cache_;
  std::string text_;
  CompilerInput input_;
  SourceScan scan_;
};

}  // namespace contextual::cuda

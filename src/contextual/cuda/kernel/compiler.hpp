#pragma once

/// \file
/// From a source and a config's variant to machine code: by NVRTC, or from the disk.

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
};

/// What to compile for: compute capability 9.0 is 90.
struct Architecture {
  int compute_capability = 0;
  /// "sm_90a": with the instructions that only this generation has, where there are such.
  std::string option() const;
};

/// A source whose text and headers have been read once, so that all configs are compiled from the same text.
/// Thread-safe.
class Compiler {
 public:
  /// `cache` is a folder for cubins; empty: none. Throws InvalidArgument for a source that cannot be read.
  Compiler(CudaSource source, std::filesystem::path cache);

  /// From the cache, else by NVRTC, then stored. Throws ConfigRejected with the compiler's words for a source
  /// that does not compile, CudaUnavailable without NVRTC. A cache that cannot be read or written is no
  /// error.
  Cubin compile(const CudaVariant& variant, const Architecture& architecture) const;

 private:
  std::string key_text(const CudaVariant& variant, const Architecture& architecture) const;
  Cubin compile_now(const CudaVariant& variant, const Architecture& architecture) const;

  CudaSource source_;
  std::filesystem::path cache_;
  std::string text_;
  std::uint64_t digest_ = 0;
};

}  // namespace contextual::cuda

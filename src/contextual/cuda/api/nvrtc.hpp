#pragma once

/// \file
/// NVRTC as a table of functions, loaded at run time.

#include <nvrtc.h>

#include <filesystem>
#include <string>

#define CONTEXTUAL_NVRTC_FUNCTIONS(X) \
  X(nvrtcVersion)                     \
  X(nvrtcGetErrorString)              \
  X(nvrtcCreateProgram)               \
  X(nvrtcDestroyProgram)              \
  X(nvrtcAddNameExpression)           \
  X(nvrtcCompileProgram)              \
  X(nvrtcGetProgramLogSize)           \
  X(nvrtcGetProgramLog)               \
  X(nvrtcGetLoweredName)              \
  X(nvrtcGetCUBINSize)                \
  X(nvrtcGetCUBIN)

namespace contextual::cuda {

struct Nvrtc {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a name that is declared
#define CONTEXTUAL_NVRTC_MEMBER(function) decltype(&::function) function = nullptr;
  CONTEXTUAL_NVRTC_FUNCTIONS(CONTEXTUAL_NVRTC_MEMBER)
#undef CONTEXTUAL_NVRTC_MEMBER
};

/// Returns the NVRTC of the installed toolkit. Throws CudaUnavailable with the loader's words. Thread-safe.
const Nvrtc& nvrtc();

/// Returns which build of NVRTC and of its builtins compiles: versions are not enough, since two patch
/// releases report one and make other code. Reads their files and loads nothing, unless it cannot tell the
/// file otherwise. Empty where there is no NVRTC. Thread-safe.
std::string nvrtc_identity();
/// The same of this file and the builtins beside it.
std::string nvrtc_identity_of(const std::filesystem::path& file);

/// Returns the folder of the toolkit's C++ headers, such as <cuda/std/array>: of the toolkit that NVRTC is
/// part of, else of the one in /usr/local/cuda. An empty path if there is none. Thread-safe.
std::filesystem::path cccl_folder();
/// The same for this file of NVRTC. Reads the disk.
std::filesystem::path cccl_folder_of(const std::filesystem::path& nvrtc_file);

/// Replaces NVRTC's table as DriverReplacement does the driver's.
class NvrtcReplacement {
 public:
  explicit NvrtcReplacement(const Nvrtc& replacement);
  explicit NvrtcReplacement(Nvrtc&&) = delete;  ///< the table must live as long
  NvrtcReplacement(const NvrtcReplacement&) = delete;
  NvrtcReplacement& operator=(const NvrtcReplacement&) = delete;
  ~NvrtcReplacement();

 private:
  const Nvrtc* saved_;
};

/// Throws CudaError, with the failing call and NVRTC's text, unless `code` is a success.
void check(nvrtcResult code, const char* call);

}  // namespace contextual::cuda

#define CONTEXTUAL_NVRTC(call) ::contextual::cuda::check(::contextual::cuda::nvrtc().call, #call)

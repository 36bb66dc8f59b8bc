#pragma once

/// \file
/// NCCL as a table of functions, filled at run time from the library that the process has. A program
/// therefore starts on a machine without NCCL, an application and the tuner use one copy, and tests can
/// replace the table.

#include <contextual/export.hpp>

#include <nccl.h>

#include <string>

/// Every function that the library needs.
#define CONTEXTUAL_NCCL_FUNCTIONS(X) \
  X(ncclGetVersion)                  \
  X(ncclGetUniqueId)                 \
  X(ncclGetErrorString)              \
  X(ncclCommInitRankConfig)          \
  X(ncclCommGetAsyncError)           \
  X(ncclCommFinalize)                \
  X(ncclCommDestroy)                 \
  X(ncclCommAbort)                   \
  X(ncclCommCount)                   \
  X(ncclCommUserRank)                \
  X(ncclCommCuDevice)                \
  X(ncclAllReduce)                   \
  X(ncclAllGather)                   \
  X(ncclReduceScatter)               \
  X(ncclGroupStart)                  \
  X(ncclGroupEnd)                    \
  X(ncclBroadcast)

namespace contextual::sync {

/// One pointer per function.
struct Nccl {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a name that is declared
#define CONTEXTUAL_NCCL_MEMBER(function) decltype(&::function) function = nullptr;
  CONTEXTUAL_NCCL_FUNCTIONS(CONTEXTUAL_NCCL_MEMBER)
#undef CONTEXTUAL_NCCL_MEMBER

  /// Null in libraries that do not have it.
  decltype(&::ncclGetLastError) ncclGetLastError = nullptr;  // NOLINT(readability-identifier-naming)

  int version = 0;  ///< as ncclGetVersion says it, such as 22803
};

/// Returns the NCCL of this process: the one that the program was linked to or has loaded, else libnccl.so.2.
/// Throws CudaUnavailable with the reason: there is none, or it is older than 2.14, which has no
/// communicators that do not block. Thread-safe; cheap after the first call.
CONTEXTUAL_API const Nccl& nccl();

/// Returns why `nccl` throws, or an empty text if it does not.
CONTEXTUAL_API std::string nccl_problem_of_process() noexcept;

/// Fills in `version`, makes it a part of detail::this_machine, and returns why this NCCL cannot be used, or
/// an empty text.
std::string start_nccl(Nccl& table);

/// Replaces NCCL's table by another one as long as this object lives, for tests. Not thread-safe.
class NcclReplacement {
 public:
  explicit NcclReplacement(const Nccl& replacement);
  explicit NcclReplacement(Nccl&&) = delete;  ///< the table must live as long
  NcclReplacement(const NcclReplacement&) = delete;
  NcclReplacement& operator=(const NcclReplacement&) = delete;
  ~NcclReplacement();

 private:
  const Nccl* saved_;
};

/// Returns e.g. "2.28.3" for 22803, and "2.8.4" for 2804.
std::string version_text(int version);

/// Returns e.g. "unhandled cuda error (1)", followed by NCCL's own words about `communicator`, if it has any.
CONTEXTUAL_API std::string error_text(ncclResult_t code, ncclComm_t communicator = nullptr);

/// Throws CommunicationError, with the failing call and NCCL's text, unless `code` is ncclSuccess.
CONTEXTUAL_API void check_nccl(ncclResult_t code, const char* call);

}  // namespace contextual::sync

/// Calls NCCL and throws as `check_nccl` does: CONTEXTUAL_NCCL(ncclGetUniqueId(&id)).
#define CONTEXTUAL_NCCL(call) ::contextual::sync::check_nccl(::contextual::sync::nccl().call, #call)

#pragma once

/// \file
/// CUPTI as a table of functions, loaded at run time.

#include <cupti.h>

#include <string>

#define CONTEXTUAL_CUPTI_FUNCTIONS(X)  \
  X(cuptiSubscribe)                    \
  X(cuptiUnsubscribe)                  \
  X(cuptiEnableCallback)               \
  X(cuptiActivityRegisterCallbacks)    \
  X(cuptiActivitySetAttribute)         \
  X(cuptiActivityEnable)               \
  X(cuptiActivityDisable)              \
  X(cuptiActivityFlushAll)             \
  X(cuptiActivityGetNextRecord)        \
  X(cuptiActivityGetNumDroppedRecords) \
  X(cuptiGetResultString)              \
  X(cuptiFinalize)

namespace contextual::cuda {

struct Cupti {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a name that is declared
#define CONTEXTUAL_CUPTI_MEMBER(function) decltype(&::function) function = nullptr;
  CONTEXTUAL_CUPTI_FUNCTIONS(CONTEXTUAL_CUPTI_MEMBER)
#undef CONTEXTUAL_CUPTI_MEMBER
};

/// Returns the CUPTI of the installed toolkit. Throws CudaUnavailable with the loader's words. Thread-safe.
const Cupti& cupti();

/// Replaces CUPTI's table as DriverReplacement does the driver's.
class CuptiReplacement {
 public:
  explicit CuptiReplacement(const Cupti& replacement);
  explicit CuptiReplacement(Cupti&&) = delete;  ///< the table must live as long
  CuptiReplacement(const CuptiReplacement&) = delete;
  CuptiReplacement& operator=(const CuptiReplacement&) = delete;
  ~CuptiReplacement();

 private:
  const Cupti* saved_;
};

/// Throws CudaError, with the failing call and CUPTI's text, unless `code` is a success.
void check(CUptiResult code, const char* call);

}  // namespace contextual::cuda

#define CONTEXTUAL_CUPTI(call) ::contextual::cuda::check(::contextual::cuda::cupti().call, #call)

#include "contextual/sync/nccl/nccl_abort.hpp"

#include <contextual/abort_word.hpp>
#include <contextual/detail/cuda/context_scope.hpp>
#include <contextual/detail/sync/blocked_process.hpp>
#include <contextual/detail/sync/bounded_call.hpp>
#include <contextual/detail/sync/nccl_api.hpp>
#include <contextual/options.hpp>

#include <unistd.h>

#include <atomic>
#include <exception>
#include <memory>
#include <system_error>
#include <utility>

namespace contextual::sync {
namespace {

enum class Scope { set_up, run };

/// The steps, which another thread carries out.
class Abort {
 public:
  Abort(NcclAbort request, Scope scope) : request_(std::move(request)), scope_(scope) {}

  void carry_out() {
    if (scope_ == Scope::run) {
      raise_abort_words();  // first, and whatever the device does
    }
    try {
      const detail::ContextScope current(request_.context);
      call_on_abort();
      abort_nccl();
    } catch (const std::exception& error) {  // the device cannot be made current
      words_ += std::string("; NCCL was not aborted: ") + error.what();
    }
  }

  /// What is under way. May be called by any thread.
  const char* step() const noexcept { return step_.load(); }
  const std::string& words() const noexcept { return words_; }  ///< once all is over

 private:
  void call_on_abort() {
    if (scope_ == Scope::set_up || !request_.on_abort) {
      return;
    }
    step_.store("NcclOptions::on_abort");
    try {
      request_.on_abort({request_.cause, request_.rank, request_.size});
    } catch (const std::exception& error) {
      words_ += std::string("; on_abort threw: ") + error.what();
    } catch (...) {
      words_ += "; on_abort threw something that is no std::exception";
    }
  }

  void abort_nccl() {
    step_.store("ncclCommAbort");
    const ncclResult_t code = nccl().ncclCommAbort(request_.communicator);
    if (code != ncclSuccess && code != ncclInProgress) {
      words_ += "; ncclCommAbort failed: " + error_text(code);
    }
  }

  const NcclAbort request_;
  const Scope scope_;
  std::atomic<const char*> step_{"raising the abort words"};
  std::string words_;
};

struct Outcome {
  bool returned = true;
  std::string words;  ///< for the error's message
};

Outcome give_up(NcclAbort request, Scope scope) {
  const std::chrono::milliseconds grace = request.grace;
  const auto abort = std::make_shared<Abort>(std::move(request), scope);
  try {
    Deadline deadline = Deadline::after(grace);
    if (bounded_call([abort] { abort->carry_out(); }, deadline)) {
      return {true, abort->words()};
    }
  } catch (const std::system_error& error) {
    return {true, std::string("; NCCL was not aborted, since no thread could be started: ") + error.what()};
  }
  return {false, std::string("; ") + abort->step() + " did not return within grace (" +
                     std::to_string(grace.count()) + " ms)"};
}

}  // namespace

std::string give_up(NcclAbort abort) {
  const std::string cause = abort.cause;
  Outcome outcome = give_up(std::move(abort), Scope::run);
  if (!outcome.returned && !detail::being_traced()) {
    detail::tell_stderr("[contextual] " + cause + outcome.words + ". The process ends with exit code " +
                        std::to_string(deadline_exit_code) + "\n");
    _exit(deadline_exit_code);  // no destructor and no atexit handler: they might wait for what is blocked
  }
  return std::move(outcome.words);
}

std::string give_up_set_up(NcclAbort abort) {
  return give_up(std::move(abort), Scope::set_up).words;
}

}  // namespace contextual::sync

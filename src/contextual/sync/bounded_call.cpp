#include <contextual/detail/sync/bounded_call.hpp>

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace contextual::sync {

bool bounded_call(std::function<void()> body, Deadline& deadline) {
  struct Call {
    std::mutex mutex;
    std::condition_variable changed;
    bool over = false;
    std::exception_ptr thrown;
  };
  const auto call = std::make_shared<Call>();
  std::thread thread([call, body = std::move(body)]() mutable {
    std::exception_ptr thrown;
    try {
      body();
    } catch (...) {
      thrown = std::current_exception();
    }
    body = nullptr;  // what it owns is gone before anybody goes on
    const std::lock_guard lock(call->mutex);
    call->thrown = std::move(thrown);
    call->over = true;
    call->changed.notify_all();
  });
  std::unique_lock lock(call->mutex);
  if (!deadline.wait(call->changed, lock, [&] { return call->over; })) {
    lock.unlock();
    thread.detach();
    return false;
  }
  lock.unlock();
  thread.join();
  if (call->thrown) {
    std::rethrow_exception(call->thrown);
  }
  return true;
}

}  // namespace contextual::sync

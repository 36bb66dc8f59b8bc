#pragma once

/// \file
/// Runs two kernels of a region at the same time, which communicate through row flags.

#include <contextual/context_guard.hpp>
#include <contextual/kernels/host/row_flags.hpp>

#include <exception>
#include <mutex>
#include <thread>

namespace contextual::kernels {

/// Calls `background()` on a thread of its own, which is part of the caller's region, and `foreground()` on
/// this one. Returns when both have ended.
///
/// If one of them throws, `flags` fails, so that the other one does not wait until its budget is used up.
/// Rethrows the first exception, since the second one may be its consequence. Cost: the start of a thread,
/// some tens of microseconds.
template <typename Background, typename Foreground>
void side_by_side(RowFlags& flags, Background&& background, Foreground&& foreground) {
  const RegionContext context = RegionContext::current();
  std::exception_ptr failure;
  std::once_flag failed;
  const auto keeping_failure = [&](auto&& body) {
    try {
      body();
    } catch (...) {
      std::call_once(failed, [&] { failure = std::current_exception(); });
      flags.fail();
    }
  };
  {
    const std::jthread thread([&] {
      keeping_failure([&] {
        const ContextGuard guard(context);
        background();
      });
    });
    keeping_failure(foreground);
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
}

}  // namespace contextual::kernels

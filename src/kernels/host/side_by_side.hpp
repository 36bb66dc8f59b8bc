#pragma once

/// \file
/// Two kernels of a region that run at the same time and talk through row flags.

#include "kernels/host/row_flags.hpp"

#include <contextual/context_guard.hpp>

#include <exception>
#include <mutex>
#include <thread>

namespace contextual::kernels {

/// Calls `background()` on a thread of its own, which is part of the caller's region, and `foreground()` on
/// this one. Returns when both have ended.
///
/// When one of them throws, `flags` fails, so that the other one need not wait until its budget is used up.
/// Rethrows what was thrown first: the second failure may be a consequence. Cost: starting a thread, some
/// tens of microseconds.
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

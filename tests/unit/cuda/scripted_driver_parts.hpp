#pragma once

/// \file
/// What a scripted driver consists of. For its two sources only.

#include "unit/cuda/scripted_driver.hpp"

#include <deque>

struct CUstream_st {
  CUcontext context = nullptr;
  std::int64_t busy_until_ns = 0;
  std::mutex queue_mutex;
  std::deque<std::function<bool()>> queue;
};
struct CUctx_st {
  int device = 0;
  std::int64_t waits_until_ns = 0;  ///< for all work that is put on its streams from now on
  CUstream_st default_stream;
  std::vector<std::unique_ptr<CUstream_st>> of_tests;
};
struct CUevent_st {
  CUcontext context = nullptr;
  std::int64_t time_ns = 0;  ///< 0: not recorded
};
struct CUfunc_st {
  std::string code;
  std::string name;
};
struct CUmod_st {
  std::string code;
  std::vector<std::unique_ptr<CUfunc_st>> functions;
};

namespace contextual::test::cuda_test {

/// Contexts that are current on this thread, the innermost last.
struct CurrentContexts {
  std::uint64_t generation = 0;
  std::vector<CUcontext> stack;
};
inline thread_local CurrentContexts current_contexts;

struct ScriptedDriver::Impl {
  mutable std::mutex mutex;
  std::atomic<int> pushed{0};  ///< contexts, on all threads
  std::uint64_t generation = 0;
  std::uint32_t correlation = 0;
  std::int64_t now_ns = 1'000'000;
  std::vector<CUcontext> contexts;
  std::map<CUstream, std::unique_ptr<CUstream_st>> streams;
  std::map<CUevent, std::unique_ptr<CUevent_st>> events;
  std::map<CUmodule, std::unique_ptr<CUmod_st>> modules;
  std::map<CUdeviceptr, std::unique_ptr<char[]>> allocations;
  std::map<CUdeviceptr, std::pair<std::size_t, CUcontext>> device_memory;  ///< bytes, and where

  std::vector<CUcontext>& stack() {
    if (current_contexts.generation != generation) {
      current_contexts = {generation, {contexts.front()}};
    }
    return current_contexts.stack;
  }
  /// All streams of the context, those of the library included.
  std::vector<CUstream> streams_of(CUcontext context) {
    std::vector<CUstream> all{&context->default_stream};
    for (const auto& stream : context->of_tests) {
      all.push_back(stream.get());
    }
    for (const auto& [handle, stream] : streams) {
      if (stream->context == context) {
        all.push_back(handle);
      }
    }
    return all;
  }
  /// When the stream could begin with more work.
  std::int64_t idle_from_ns(CUstream stream) const {
    return std::max({now_ns, stream->busy_until_ns, stream->context->waits_until_ns});
  }
  CUcontext current() { return stack().empty() ? nullptr : stack().back(); }
  CUstream stream_of(CUstream stream) { return stream == nullptr ? &current()->default_stream : stream; }
};

/// Every function that the library calls.
cuda::Driver scripted_table();

}  // namespace contextual::test::cuda_test

/// \file
/// Tuned functions on a stream that is being captured.

#include "support/engine.hpp"
#include "support/stderr_capture.hpp"

#include <contextual/detail/launch/stream_capture.hpp>
#include <contextual/function.hpp>

#include <vector>

namespace function_capture_test {

using namespace contextual;
using namespace engine_test;

namespace {

void* captured_stream = nullptr;

bool is_captured(void* stream) noexcept {
  return stream == captured_stream;
}

/// Streams are as `is_captured` says while it lives.
struct ScriptedCapture {
  ScriptedCapture() { detail::set_stream_capture_check(is_captured); }
  ScriptedCapture(const ScriptedCapture&) = delete;
  ScriptedCapture& operator=(const ScriptedCapture&) = delete;
  ~ScriptedCapture() { detail::set_stream_capture_check(nullptr); }
};

}  // namespace

TEST_CASE("tuned function: while its stream is captured it runs once, with what is chosen or the default",
          "[unit]") {
  const ScriptedCapture capture;
  int memory = 0;
  auto* const stream = reinterpret_cast<CUstream_st*>(&memory);
  std::vector<int> used;
  auto function = autotune(
      "fn_captured", blocks(3), [](CUstream_st*, int n) { return make_key(n); },
      [&](const Block& block, CUstream_st*, int) { used.push_back(block.block); }, {.options = quick()});
  captured_stream = stream;
  function(stream, 1);
  CHECK(used == std::vector<int>{0});
  CHECK(function.report().runs.empty());
  captured_stream = nullptr;
  function(stream, 1);  // the first call that can tune
  CHECK(used.back() == 2);
  CHECK(used.size() == 1 + 3 * 2 + 1);
  captured_stream = stream;
  function(stream, 1);
  CHECK(used.back() == 2);
  CHECK(used.size() == 1 + 3 * 2 + 2);
}

TEST_CASE("holds 24: a captured call that `keep` refuses the choice has the default, and tunes nothing",
          "[unit]") {
  const ScriptedCapture capture;
  int memory = 0;
  auto* const stream = reinterpret_cast<CUstream_st*>(&memory);
  std::vector<int> used;
  auto function = autotune(
      "fn_captured_keep", blocks(3), [](CUstream_st*, int) { return single_problem(); },
      [&](const Block& block, CUstream_st*, int) { used.push_back(block.block); },
      {.keep = [](const Block& block, CUstream_st*, int n) { return block.block <= n; }, .options = quick()});
  captured_stream = nullptr;
  function(stream, 2);
  CHECK(used.back() == 2);
  used.clear();
  captured_stream = stream;
  const StderrCapture text;
  function(stream, 1);
  function(stream, 2);
  CHECK(used == std::vector<int>{0, 2});
  captured_stream = nullptr;
  function(stream, 1);  // the first call that can tune
  CHECK(used.back() == 1);
  CHECK(count_of(text.text(), "`keep` does not allow it") == 1);
}

TEST_CASE("tuned function: a verbose call on a captured stream prints nothing", "[unit]") {
  const ScriptedCapture capture;
  int memory = 0;
  auto* const stream = reinterpret_cast<CUstream_st*>(&memory);
  auto function = autotune(
      "fn_captured_verbose", blocks(2), [](CUstream_st*) { return make_key(); },
      [](const Block&, CUstream_st*) {}, {.options = quick()});
  captured_stream = nullptr;
  function(stream);
  captured_stream = stream;
  {
    const StderrCapture text;
    function.with({.autotune = false, .verbose = true}, stream);
    function.with({.verbose = true}, stream);
    CHECK(text.text().empty());
  }
  captured_stream = nullptr;
}

TEST_CASE("tuned function: a capture has what a tuning that was cut off has chosen so far", "[unit]") {
  const ScriptedCapture capture;
  int memory = 0;
  auto* const stream = reinterpret_cast<CUstream_st*>(&memory);
  std::vector<int> used;
  Options options = quick();
  options.max_iterations = 5;  // of six: the last of three configs is not measured
  auto function = autotune(
      "fn_captured_early", blocks(3), [](CUstream_st*, int n) { return make_key(n); },
      [&](const Block& block, CUstream_st*, int) { used.push_back(block.block); }, {.options = options});
  captured_stream = nullptr;
  function(stream, 1);
  const int so_far = used.back();
  CHECK(so_far == 1);
  captured_stream = stream;
  function(stream, 1);
  CHECK(used.back() == so_far);
  captured_stream = nullptr;
}

}  // namespace function_capture_test

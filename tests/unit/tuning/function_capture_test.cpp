/// \file
/// Tuned functions on a stream that is being captured.

#include "support/stderr_capture.hpp"

#include <contextual/detail/launch/stream_capture.hpp>

namespace contextual::test::function_capture_test {

namespace {

/// A stream that can be captured while this lives, and the configs that were launched on it.
struct ScriptedCapture {
  ScriptedCapture() {
    detail::set_stream_capture_check([](void* stream) noexcept { return stream == captured; });
  }
  ScriptedCapture(const ScriptedCapture&) = delete;
  ScriptedCapture& operator=(const ScriptedCapture&) = delete;
  ~ScriptedCapture() {
    detail::set_stream_capture_check(nullptr);
    end();
  }

  /// For a function of the stream and a number.
  auto note() {
    return [this](const Block& block, CUstream_st*, int) { used.push_back(block.block); };
  }

  void begin() { captured = stream; }
  static void end() { captured = nullptr; }

  static inline void* captured = nullptr;
  int memory = 0;
  CUstream_st* const stream = reinterpret_cast<CUstream_st*>(&memory);
  std::vector<int> used;
};

Key key_of(CUstream_st* /*stream*/, int n) {
  return make_key(n);
}

}  // namespace

TEST_CASE("tuned function: while its stream is captured it runs once, with what is chosen or the default") {
  ScriptedCapture capture;
  auto function = autotune("fn_captured", blocks(3), key_of, capture.note(), {.options = quick()});
  capture.begin();
  function(capture.stream, 1);
  CHECK(capture.used == std::vector<int>{0});
  CHECK(function.report().runs.empty());
  capture.end();
  function(capture.stream, 1);  // the first call that can tune
  CHECK(capture.used.back() == 2);
  CHECK(capture.used.size() == 1 + 3 * 2 + 1);
  capture.begin();
  function(capture.stream, 1);
  CHECK(capture.used.back() == 2);
  CHECK(capture.used.size() == 1 + 3 * 2 + 2);
}

TEST_CASE("holds 24: a captured call that `keep` refuses the choice has the default, and tunes nothing") {
  ScriptedCapture capture;
  auto function = autotune(
      "fn_captured_keep", blocks(3), [](CUstream_st*, int) { return single_problem(); }, capture.note(),
      {.keep = [](const Block& block, CUstream_st*, int n) { return block.block <= n; }, .options = quick()});
  function(capture.stream, 2);
  CHECK(capture.used.back() == 2);
  capture.used.clear();
  capture.begin();
  const StderrCapture text;
  function(capture.stream, 1);
  function(capture.stream, 2);
  CHECK(capture.used == std::vector<int>{0, 2});
  capture.end();
  function(capture.stream, 1);  // the first call that can tune
  CHECK(capture.used.back() == 1);
  CHECK(count_of(text.text(), "`keep` does not allow it") == 1);
}

TEST_CASE("tuned function: a verbose call on a captured stream prints nothing") {
  ScriptedCapture capture;
  auto function = autotune(
      "fn_captured_verbose", blocks(2), [](CUstream_st*) { return make_key(); },
      [](const Block&, CUstream_st*) {}, {.options = quick()});
  function(capture.stream);
  capture.begin();
  const StderrCapture text;
  function.with({.autotune = false, .verbose = true}, capture.stream);
  function.with({.verbose = true}, capture.stream);
  CHECK(text.text().empty());
}

TEST_CASE("tuned function: a capture has what a tuning that was cut off has chosen so far") {
  ScriptedCapture capture;
  Options options = quick();
  options.max_iterations = 5;  // of six: the last of three configs is not measured
  auto function = autotune("fn_captured_early", blocks(3), key_of, capture.note(), {.options = options});
  function(capture.stream, 1);
  const int so_far = capture.used.back();
  CHECK(so_far == 1);
  capture.begin();
  function(capture.stream, 1);
  CHECK(capture.used.back() == so_far);
}

}  // namespace contextual::test::function_capture_test

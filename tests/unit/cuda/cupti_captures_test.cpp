/// \file
/// What the library knows, by CUPTI's callbacks alone, of streams that are captured into graphs.

#include "contextual/cuda/cupti/cupti_session.hpp"
#include "support/catch.hpp"
#include "unit/cuda/tuning_support.hpp"

namespace contextual::cuda::cupti_captures_test {

using namespace test::cuda_test;

namespace {

/// A session, and captures in the process that it watches, with whatever result a test wants.
struct WatchedCaptures {
  bool open() const { return session->captures_open(); }
  void begin(CUresult result = CUDA_SUCCESS,
             CUpti_driver_api_trace_cbid as = CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2) {
    gpu.driver.call("cuStreamBeginCapture", as, [result] { return result; });
  }
  void end(CUresult result = CUDA_SUCCESS,
           CUpti_driver_api_trace_cbid as = CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture) {
    gpu.driver.call("cuStreamEndCapture", as, [result] { return result; });
  }

  ScriptedGpu gpu{2};
  std::shared_ptr<CuptiSession> session = CuptiSession::acquire();
};

}  // namespace

TEST_CASE("CUPTI session: a capture is open from a begin that succeeds to the end") {
  WatchedCaptures captures;
  const auto begin = GENERATE(
      CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture, CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_ptsz,
      CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2, CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2_ptsz,
      CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph,
      CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph_ptsz);
  const auto end =
      GENERATE(CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture, CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture_ptsz);
  CHECK_FALSE(captures.open());
  captures.begin(CUDA_ERROR_ILLEGAL_STATE, begin);
  CHECK_FALSE(captures.open());
  captures.begin(CUDA_SUCCESS, begin);
  CHECK(captures.open());
  captures.end(CUDA_SUCCESS, end);
  CHECK_FALSE(captures.open());
}

TEST_CASE("CUPTI session: a capture that came to nothing is ended by its end, not by a failure to end one") {
  const auto [result, ends] = GENERATE(table<CUresult, bool>({{CUDA_SUCCESS, true},
                                                              {CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, true},
                                                              {CUDA_ERROR_STREAM_CAPTURE_UNJOINED, true},
                                                              {CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, false},
                                                              {CUDA_ERROR_ILLEGAL_STATE, false}}));
  CAPTURE(result);
  WatchedCaptures captures;
  captures.begin();
  captures.end(result);
  CHECK(captures.open() == !ends);
}

TEST_CASE("CUPTI session: of several captures the last one's end leaves none open") {
  WatchedCaptures captures;
  captures.begin();
  captures.begin();
  captures.end();
  CHECK(captures.open());
  captures.end();
  CHECK_FALSE(captures.open());
}

TEST_CASE("CUPTI session: the end of a capture that it did not see begin closes no later one") {
  WatchedCaptures captures;
  captures.end();
  captures.end();
  CHECK_FALSE(captures.open());
  captures.begin();
  CHECK(captures.open());
}

TEST_CASE("CUPTI session: a capture left open by one session is none of the next one's") {
  WatchedCaptures captures;
  captures.begin();
  captures.session.reset();
  captures.session = CuptiSession::acquire();
  CHECK_FALSE(captures.open());
}

TEST_CASE("CUPTI session: a kernel launched while a capture is open need not give a record") {
  WatchedCaptures captures;
  CUstream stream = captures.gpu.driver.make_stream();
  CuptiSession::set_launch(7);
  captures.begin();
  captures.gpu.driver.launch_kernel(stream, 10'000);
  captures.end();
  captures.gpu.driver.launch_kernel(stream, 10'000);
  CuptiSession::set_launch(-1);
  const std::vector<LaunchedCall> calls = captures.session->take().calls;
  REQUIRE(calls.size() == 2);  // those that begin and end a capture put nothing on a device
  CHECK_FALSE(calls[0].kernel);
  CHECK(calls[1].kernel);
}

TEST_CASE("CUPTI session: a context in which there was nothing but a capture is one of its contexts") {
  WatchedCaptures captures;
  const CUcontext other = captures.gpu.driver.context(1);
  const auto seen = [&] {
    const std::vector<CUcontext> all = captures.session->contexts().all();
    return std::count(all.begin(), all.end(), other);
  };
  CHECK(seen() == 0);
  captures.gpu.driver.set_current(other);
  captures.begin();
  captures.end();
  CHECK(seen() == 1);
}

}  // namespace contextual::cuda::cupti_captures_test

// That nothing here makes an NVLink multicast object: neither the library, nor NCCL when it is told not to.
// CUPTI watches the driver's calls, so a program of its own.

#include "gpu/gathered_problem.hpp"
#include "gpu/gpu_rank.hpp"
#include "gpu/kernel_support.hpp"
#include "gpu/reduced_problem.hpp"
#include "gpu/region_workspace.hpp"
#include "support/catch.hpp"

#include <contextual/autotuner.hpp>

#include <cupti.h>

#include <atomic>

namespace contextual::test::gpu_test::multicast_test {

using namespace kernels::cuda;

namespace {

/// Counts calls of the driver while it lives.
class DriverCalls {
 public:
  DriverCalls() {
    REQUIRE(cuptiSubscribe(&subscriber_, on_call, this) == CUPTI_SUCCESS);
    for (const CUpti_CallbackId call :
         {CUPTI_DRIVER_TRACE_CBID_cuMulticastCreate, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
          CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx}) {
      REQUIRE(cuptiEnableCallback(1, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, call) == CUPTI_SUCCESS);
    }
  }
  DriverCalls(const DriverCalls&) = delete;
  DriverCalls& operator=(const DriverCalls&) = delete;
  ~DriverCalls() { cuptiUnsubscribe(subscriber_); }

  int multicasts() const { return multicasts_; }
  int launches() const { return launches_; }

 private:
  static void CUPTIAPI on_call(void* user, CUpti_CallbackDomain /*domain*/, CUpti_CallbackId id,
                               const void* data) {
    auto& calls = *static_cast<DriverCalls*>(user);
    if (static_cast<const CUpti_CallbackData*>(data)->callbackSite == CUPTI_API_ENTER) {
      ++(id == CUPTI_DRIVER_TRACE_CBID_cuMulticastCreate ? calls.multicasts_ : calls.launches_);
    }
  }

  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::atomic<int> multicasts_{0};
  std::atomic<int> launches_{0};
};

}  // namespace

TEST_CASE("regions: no rank makes a multicast object, tuned or not, with NCCL or without", "[multicast]") {
  ONLY_IF(on_all_ranks(has_gpu()));
  const Rank rank;
  const DriverCalls calls;
  const Stream stream;
  const AllGatherGemmShape gathered{512, 264, 136, GemmType::fp16};
  const GemmReduceScatterShape scattered{512, 136, 264, GemmType::fp16};
  const auto workspace =
      region_workspace(rank, std::max(AllGatherGemm::workspace_bytes(gathered),
                                      GemmReduceScatter::workspace_bytes(scattered, rank.count)));
  ONLY_IF(workspace != nullptr);
  AllGatherGemm gather(workspace, gathered);
  GemmReduceScatter scatter(workspace, scattered);
  GatheredProblem a(rank, gathered, 1);
  ReducedProblem b(rank, scattered, 1);
  Options options = region_tuning(rank);
  options.search_settings.runs = 40;
  ContextualAutotuner tuner(options);  // both ways are tried
  tuner.run("no_multicast", [&] {
    gather(stream, {a.a_rows(0)}, {a.b(), a.c()});
    scatter(stream, {b.a(0), b.b(0), b.c()});
  });
  stream.wait();
  CHECK(calls.launches() > 0);  // it does watch
  CHECK(calls.multicasts() == 0);
}

}  // namespace contextual::test::gpu_test::multicast_test

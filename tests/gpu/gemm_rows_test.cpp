// What the GEMM does with groups of rows: waits for those of A, and in which order.

#include "gpu/gemm_reference.hpp"
#include "gpu/kernel_support.hpp"
#include "support/catch.hpp"

#include <contextual/error.hpp>
#include <contextual/kernels/cuda/gemm.hpp>
#include <contextual/kernels/row_partition.hpp>

#include <atomic>

namespace contextual::test::gpu_test::gemm_rows_test {

namespace {

using namespace kernels::cuda;
using kernels::RowPartition;
using kernels::Rows;

GemmArgs in_groups(GemmArgs args, const RowPartition& partition) {
  args.rows_per_flag = partition.rows_per_chunk();
  args.rows_per_shard = partition.rows_per_shard();
  args.flags_per_shard = RowPartition::most_chunks;
  return args;
}

std::string complaint(Gemm& kernel, const GemmArgs& args) {
  return error_text<InvalidArgument>([&] { kernel.launch_config(0, nullptr, args); });
}

}  // namespace

TEST_CASE("gemm rows: groups that do not fit the matrix are invalid arguments that are named", "[unit]") {
  alignas(16) static char memory[32];
  static unsigned word = 0;
  const GemmArgs good{.a = memory, .b = memory, .c = memory, .m = 16, .n = 8, .k = 8, .ready_flags = &word};
  GemmArgs bad = good;
  CHECK_THAT(complaint(gemm(), bad), ContainsSubstring("rows_per_flag"));
  bad = in_groups(good, RowPartition(16, 2, 2));
  bad.flags_per_shard = 1;
  CHECK_THAT(complaint(gemm(), bad), ContainsSubstring("flags_per_shard = 1"));
  bad = in_groups(good, RowPartition(16, 2, 2));
  bad.first_row = 16;
  CHECK_THAT(complaint(gemm(), bad), ContainsSubstring("first_row = 16"));
  bad.first_row = -1;
  CHECK_THAT(complaint(gemm(), bad), ContainsSubstring("first_row = -1"));
}

TEST_CASE("gemm rows: every config is right from any first row on") {
  ONLY_IF(has_gpu());
  const Stream stream;
  ReferenceGemm problem({700, 264, 136});
  for (const int first_row : {1, 128, 350, 640, 699}) {
    GemmArgs args = problem.args();
    args.first_row = first_row;
    for (std::size_t id = 0; id < gemm().space().size(); ++id) {
      INFO("from row " << first_row << "; " << gemm().space().describe(id));
      problem.poison();
      REQUIRE(gemm().launch_config(id, stream, args) == CUDA_SUCCESS);
      CHECK(problem.error() < ReferenceGemm::most_error);
    }
  }
}

TEST_CASE("gemm rows: rows of A in shards are not read before the flag of their chunk is set") {
  ONLY_IF(has_gpu());
  const Stream stream;
  const Stream copies;
  const GemmShape shape{701, 264, 520};
  ReferenceGemm problem(shape);
  const std::size_t row_bytes = static_cast<std::size_t>(shape.k) * sizeof(std::uint16_t);
  const DeviceArray<std::uint16_t> late(static_cast<std::size_t>(shape.m) *
                                        static_cast<std::size_t>(shape.k));
  for (const RowPartition& partition : {RowPartition(shape.m, 2, 1), RowPartition(shape.m, 3, 4)}) {
    const DeviceArray<unsigned> flags(static_cast<std::size_t>(partition.flag_count()));
    const DeviceArray<unsigned> timed_out(1);
    for (std::size_t id = 0; id < gemm().space().size(); ++id) {
      INFO(partition.ranks() << " shards; " << gemm().space().describe(id));
      problem.poison();
      cuda_check(cudaMemset(late.get(), 0xff, static_cast<std::size_t>(shape.m) * row_bytes));
      cuda_check(
          cudaMemset(flags.get(), 0, static_cast<std::size_t>(partition.flag_count()) * sizeof(unsigned)));
      cuda_check(cudaMemset(timed_out.get(), 0, sizeof(unsigned)));
      cuda_check(cudaDeviceSynchronize());
      GemmArgs args = in_groups(problem.args(), partition);
      const auto* const whole = static_cast<const char*>(args.a);
      args.a = late.get();
      args.ready_flags = flags.get();
      args.ready_value = 1;
      args.timed_out = timed_out.get();
      args.first_row = partition.shard(1).begin;
      REQUIRE(gemm().launch_config(id, stream, args) == CUDA_SUCCESS);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      for (int flag = partition.flag_count() - 1; flag >= 0; --flag) {  // in the wrong order
        const Rows rows = partition.chunk(flag / RowPartition::most_chunks, flag % RowPartition::most_chunks);
        const std::size_t from = static_cast<std::size_t>(rows.begin) * row_bytes;
        cuda_check(cudaMemcpyAsync(reinterpret_cast<char*>(late.get()) + from, whole + from,
                                   static_cast<std::size_t>(rows.count()) * row_bytes,
                                   cudaMemcpyDeviceToDevice, copies));
        write_value(copies, flags.get() + flag, 1);
      }
      CHECK(problem.error() < ReferenceGemm::most_error);
      CHECK(timed_out.host().at(0) == 0);
    }
  }
}

TEST_CASE("gemm rows: a wait ends when another has failed, when the host says so, and when the time is up") {
  ONLY_IF(has_gpu());
  struct Case {
    const char* what;
    bool failed_before;
    bool fails_meanwhile;
    bool host_ends_it;
    std::chrono::nanoseconds budget;
    unsigned timed_out;  // what it says afterwards
  };
  constexpr auto long_budget = std::chrono::seconds(10);
  const Case cases[] = {
      {"another wait has failed before", true, false, false, long_budget, 7},
      {"another wait fails meanwhile", false, true, false, long_budget, 7},
      {"the host ends it", false, false, true, long_budget, 2},
      {"the time is up", false, false, false, std::chrono::milliseconds(3), 1},
  };
  const Stream stream;
  const Stream copies;
  ReferenceGemm problem({700, 264, 136});
  const DeviceArray<unsigned> flags(std::vector<unsigned>(6, 0));
  unsigned* host_abort = nullptr;
  cuda_check(cudaHostAlloc(reinterpret_cast<void**>(&host_abort), sizeof(unsigned), cudaHostAllocMapped));
  for (const Case& it : cases) {
    INFO(it.what);
    *host_abort = 0;
    const DeviceArray<unsigned> timed_out(std::vector<unsigned>{it.failed_before ? 7U : 0U});
    GemmArgs args = problem.args();
    args.ready_flags = flags.get();
    args.rows_per_flag = 128;
    args.timed_out = timed_out.get();
    args.host_abort = host_abort;
    args.wait_budget_ns = static_cast<unsigned long long>(it.budget.count());
    REQUIRE(gemm().launch_config(0, stream, args) == CUDA_SUCCESS);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const auto told = std::chrono::steady_clock::now();
    if (it.fails_meanwhile) {
      write_value(copies, timed_out.get(), 7);
    }
    if (it.host_ends_it) {
      std::atomic_ref(*host_abort).store(1);
    }
    stream.wait();
    const std::chrono::duration<double, std::micro> us_after = std::chrono::steady_clock::now() - told;
    INFO("it ended after " << us_after.count() << " us");
    CHECK(us_after < long_budget / 2);
    CHECK(timed_out.host().at(0) == it.timed_out);
    CHECK(problem.error() < ReferenceGemm::most_error);
  }
  cuda_check(cudaFreeHost(host_abort));
}

}  // namespace contextual::test::gpu_test::gemm_rows_test

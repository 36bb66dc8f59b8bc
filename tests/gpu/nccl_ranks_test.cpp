/// \file
/// Ranks over the real NCCL, as processes with a GPU each. Any launcher will do; NCCL does not let ranks
/// share a GPU.

#include "support/catch.hpp"

#include <contextual/abort_word.hpp>
#include <contextual/cuda.hpp>
#include <contextual/detail/sync/launcher.hpp>
#include <contextual/error.hpp>
#include <contextual/nccl.hpp>
#include <contextual/testing/communicator_conformance.hpp>

#include <cuda_runtime_api.h>

#include <cstdio>

namespace contextual::nccl_ranks_test {

namespace {

using Clock = std::chrono::steady_clock;

int launched_rank() {
  const auto launched = detail::launched_rank();
  return launched ? launched->rank : 0;
}

int launched_size() {
  const auto launched = detail::launched_rank();
  return launched ? launched->size : 1;
}

/// Makes this rank's device current. Returns false, with the reason for ctest, where there is none for each
/// rank.
bool has_device_of_its_own() {
  const std::string problem = cuda_problem().empty() ? nccl_problem() : cuda_problem();
  int devices = 0;
  if (!problem.empty() || cudaGetDeviceCount(&devices) != cudaSuccess || devices < launched_size()) {
    std::printf("skipped: %s\n", problem.empty() ? "NCCL wants a GPU for each rank" : problem.c_str());
    return false;
  }
  return cudaSetDevice(launched_rank()) == cudaSuccess;
}

/// A communicator that a test may poison: the id of rank 0 travels over `nccl_world`.
std::shared_ptr<Communicator> another(const NcclOptions& options = {}) {
  if (launched_size() == 1) {
    return nccl_communicator(nccl_id(), 0, 1, options);
  }
  return nccl_communicator(
      launched_rank(), launched_size(),
      [](ncclUniqueId& id) {
        const std::string own(id.internal, sizeof id.internal);
        const auto all = nccl_world()->all_gather(own, Deadline::after(std::chrono::seconds(60)));
        all.at(0).copy(id.internal, sizeof id.internal);
      },
      options);
}

void time_exchange(Communicator& communicator) {
  constexpr int rounds = 200;
  std::vector<std::int64_t> words(64, 1);
  const auto begin = Clock::now();
  for (int round = 0; round < rounds; ++round) {
    communicator.all_reduce_max(words, Deadline::after(std::chrono::seconds(60)));
  }
  const std::chrono::duration<double, std::micro> time = Clock::now() - begin;
  std::printf("rank %d: %s, a maximum of 64 words in %.1f us\n", communicator.rank(),
              communicator.describe().c_str(), time.count() / rounds);
}

}  // namespace

TEST_CASE("NCCL ranks: conform") {
  ONLY_IF(has_device_of_its_own());
  const auto begin = Clock::now();
  const auto world = nccl_world();
  std::printf("rank %d: made in %.2f s\n", launched_rank(),
              std::chrono::duration<double>(Clock::now() - begin).count());
  CHECK(world->rank() == launched_rank());
  CHECK(world->size() == launched_size());
  CHECK(testing::check_communicator_rank(*world) == std::vector<std::string>{});
  const auto communicator = another();
  CHECK(testing::check_communicator_rank(*communicator) == std::vector<std::string>{});
  time_exchange(*communicator);
}

TEST_CASE("NCCL ranks: over a communicator of the application, whether it blocks or not") {
  ONLY_IF(has_device_of_its_own());
  const auto world = nccl_world();
  for (const int blocking : {0, 1}) {
    const ncclUniqueId made = nccl_id();  // that of rank 0 is used
    const std::string own(made.internal, sizeof made.internal);
    const std::string all = world->all_gather(own, Deadline::after(std::chrono::seconds(60))).at(0);
    ncclUniqueId id;
    all.copy(id.internal, sizeof id.internal);
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = blocking;
    ncclComm_t application = nullptr;
    ncclResult_t state = ncclCommInitRankConfig(&application, launched_size(), id, launched_rank(), &config);
    Deadline deadline = Deadline::after(std::chrono::seconds(60));
    while (state == ncclInProgress && !deadline.expired()) {
      REQUIRE(ncclCommGetAsyncError(application, &state) == ncclSuccess);
    }
    REQUIRE(state == ncclSuccess);
    const auto communicator = nccl_communicator(application);
    CHECK(testing::check_communicator_rank(*communicator) == std::vector<std::string>{});
    ncclCommAbort(application);
  }
}

TEST_CASE("NCCL ranks: a rank that stays away is an error on the others, within deadline and grace") {
  ONLY_IF(has_device_of_its_own() && launched_size() != 1);
  const auto communicator = another({.grace = std::chrono::seconds(20)});
  if (launched_rank() == launched_size() - 1) {
    std::this_thread::sleep_for(std::chrono::seconds(8));
    return;
  }
  const auto begin = Clock::now();
  std::vector<std::int64_t> word{1};
  CHECK_THROWS_AS(communicator->all_reduce_max(word, Deadline::after(std::chrono::seconds(1))),
                  CommunicationError);
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  std::printf("rank %d: out after %.2f s\n", launched_rank(), seconds);
  CHECK(seconds < 21);
}

}  // namespace contextual::nccl_ranks_test

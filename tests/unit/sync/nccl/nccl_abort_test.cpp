/// \file
/// What a communicator over NCCL does when it gives up.

#include "contextual/sync/nccl/nccl_abort.hpp"

#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "unit/sync/nccl/nccl_ranks.hpp"

#include <contextual/detail/sync/ongoing_run.hpp>

#include <mutex>

namespace contextual::test::nccl_test::nccl_abort_test {

using namespace std::chrono_literals;

namespace {

using Clock = std::chrono::steady_clock;

void reduce(const std::shared_ptr<Communicator>& rank, std::chrono::milliseconds deadline = 30ms) {
  std::vector<std::int64_t> values{1};
  rank->all_reduce_max(values, Deadline::after(deadline));
}

/// What rank 0 of two throws when the other one stays away.
std::string text_when_alone(const Ranks& ranks, std::chrono::milliseconds deadline = 30ms) {
  return error_text<CommunicationError>([&] { reduce(ranks.at(0), deadline); });
}

/// Stays in a call until the process ends.
[[noreturn]] void stay() {
  for (;;) {
    std::this_thread::sleep_for(1h);
  }
}

/// As a kernel that spins on the stream: NCCL does not return before it has left.
ncclResult_t wait_for_kernel(const std::uint32_t& word) {
  while (std::atomic_ref(const_cast<std::uint32_t&>(word)).load() == 0) {
    std::this_thread::sleep_for(1ms);
  }
  return ncclSuccess;
}

}  // namespace

TEST_CASE("NCCL expiry: it says rank, collective and cause, names nobody, and aborts NCCL") {
  const ScriptedNccl scripted;
  const Ranks ranks = make_ranks(2);
  on_threads(2, [&](int rank) { reduce(ranks.at(static_cast<std::size_t>(rank)), 30s); });
  const auto error = caught<CommunicationError>([&] { reduce(ranks[0]); });
  CHECK_THAT(error.what(),
             ContainsSubstring("rank 0 of 2, collective 2 of the tuner over NCCL: the deadline expired"));
  CHECK(error.missing_ranks().empty());
  CHECK(scripted.aborted() == 1);
  CHECK(scripted.misuse() == std::vector<std::string>{});
}

TEST_CASE("NCCL expiry: the words are raised, then on_abort is called, then NCCL is aborted") {
  std::uint32_t word = 0;
  std::mutex mutex;
  std::vector<std::string> order;
  const auto note = [&](const std::string& what) {
    const std::lock_guard lock(mutex);
    order.push_back(what + (std::atomic_ref(word).load() == 1 ? ", raised" : ", not raised"));
  };
  const ScriptedNccl scripted({.on_abort = [&](int) {
    note("ncclCommAbort");
    return ncclSuccess;
  }});
  const AbortWord holds(&word);
  const Ranks ranks = make_ranks(2, {.on_abort = [&](const NcclAbortInfo&) { note("on_abort"); }});
  CHECK(order.empty());
  text_when_alone(ranks);
  CHECK(order == std::vector<std::string>{"on_abort, raised", "ncclCommAbort, raised"});
}

TEST_CASE("NCCL expiry: on_abort learns the cause, on a thread of its own with the device current") {
  const ScriptedNccl scripted;
  std::string cause;
  int rank = -1;
  int size = -1;
  int device = -1;
  std::thread::id thread;
  const Ranks ranks = make_ranks(2, {.on_abort = [&](const NcclAbortInfo& info) {
                                   cause = info.cause;
                                   rank = info.rank;
                                   size = info.size;
                                   device = ScriptedGpu::device_of(ScriptedGpu::current());
                                   thread = std::this_thread::get_id();
                                 }});
  CHECK_THROWS_AS(reduce(ranks[1]), CommunicationError);
  CHECK_THAT(cause, ContainsSubstring("the deadline expired"));
  CHECK(rank == 1);
  CHECK(size == 2);
  CHECK(device == 1);
  CHECK(thread != std::thread::id());
  CHECK(thread != std::this_thread::get_id());
}

TEST_CASE("NCCL expiry: a kernel that spins on a word leaves, by the abort words or by on_abort") {
  for (const bool registered : {true, false}) {
    std::uint32_t word = 0;
    const ScriptedNccl scripted({.on_abort = [&](int) { return wait_for_kernel(word); }});
    const AbortWord holds = registered ? AbortWord(&word) : AbortWord();
    const auto end_kernel = [&](const NcclAbortInfo&) { std::atomic_ref(word).store(1); };
    NcclOptions options{.grace = 20s};
    if (!registered) {
      options.on_abort = end_kernel;
    }
    CHECK_THAT(text_when_alone(make_ranks(2, options)), ContainsSubstring("the deadline expired"));
    CHECK(word == 1);
  }
}

TEST_CASE("NCCL expiry: what on_abort throws and what ncclCommAbort returns are in the message") {
  const ScriptedNccl scripted({.on_abort = [](int) { return ncclSystemError; }});
  const Ranks ranks =
      make_ranks(2, {.on_abort = [](const NcclAbortInfo&) { throw std::out_of_range("no such queue"); }});
  const std::string text = text_when_alone(ranks);
  CHECK_THAT(text, ContainsSubstring("on_abort threw: no such queue"));
  CHECK_THAT(text, ContainsSubstring("ncclCommAbort failed: scripted error (2)"));
  CHECK(scripted.aborted() == 1);
}

TEST_CASE("NCCL expiry: afterwards every call throws at once, and NCCL is not called any more") {
  const ScriptedNccl scripted;
  const int living = ScriptedGpu::living();
  {
    const Ranks ranks = make_ranks(2);
    text_when_alone(ranks);
    const auto begin = Clock::now();
    CHECK_THAT(text_when_alone(ranks, 60s), ContainsSubstring("poisoned by an earlier failure: rank 0 of 2"));
    CHECK_THROWS_AS(ranks[0]->all_gather("x", Deadline::after(60s)), CommunicationError);
    CHECK(Clock::now() - begin < 30s);
  }
  CHECK(scripted.aborted() == 1);
  CHECK(scripted.destroyed() == 1);            // of the rank that did not give up
  CHECK(ScriptedGpu::living() == living + 3);  // a stream and two memories, which NCCL may still write to
  CHECK(scripted.misuse() == std::vector<std::string>{});
}

TEST_CASE(
    "NCCL failure: each ends the wait long before its deadline, is told, and poisons the communicator") {
  const auto second_of_rank_0 = [](ncclResult_t result) {
    return [result](int rank, int operation) { return rank == 0 && operation == 1 ? result : ncclSuccess; };
  };
  struct Row {
    std::string name;
    Script script;
    CUresult of_device;
    std::chrono::milliseconds deadline;
    std::string words;
  };
  for (const Row& row :
       {Row{"the work stays on the device, which is an expiry",
            {.waits_in_progress = false},
            CUDA_SUCCESS,
            30ms,
            "NCCL's work was on the device"},
        Row{"an error while an operation is polled",
            {.async_error = second_of_rank_0(ncclRemoteError), .last_error = "socket closed by peer"},
            CUDA_SUCCESS,
            60s,
            "remote process exited (6): socket closed by peer"},
        Row{"an operation that is refused",
            {.post_result = second_of_rank_0(ncclInvalidUsage)},
            CUDA_SUCCESS,
            60s,
            "scripted error (5)"},
        Row{"a device that has failed", {}, CUDA_ERROR_ILLEGAL_ADDRESS, 60s, "CUDA_ERROR_ILLEGAL_ADDRESS"}}) {
    CAPTURE(row.name);
    const ScriptedNccl scripted(row.script);
    const Ranks ranks = make_ranks(2);
    ScriptedGpu::fail([&](const std::string& function) {
      return function == "cuStreamQuery" || function == "cuMemcpyHtoDAsync" ? row.of_device : CUDA_SUCCESS;
    });
    const auto begin = Clock::now();
    CHECK_THAT(text_when_alone(ranks, row.deadline), ContainsSubstring(row.words));
    CHECK_THAT(text_when_alone(ranks, row.deadline), ContainsSubstring("poisoned"));
    CHECK(Clock::now() - begin < 30s);
    CHECK(scripted.aborted() == 1);
  }
}

TEST_CASE("NCCL failure: the words are raised even if the device cannot be used any more") {
  const ScriptedNccl scripted;
  const Ranks ranks = make_ranks(2);
  std::uint32_t word = 0;
  const AbortWord holds(&word);
  ScriptedGpu::fail([](const std::string& function) {
    return function == "cuCtxPushCurrent" ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS;
  });
  CHECK_THAT(text_when_alone(ranks, 60s), ContainsSubstring("NCCL was not aborted"));
  CHECK(word == 1);
}

TEST_CASE("NCCL expiry: a peer that never comes again, a hundred times") {
  const ScriptedNccl scripted;
  for (int repetition = 0; repetition < 100; ++repetition) {
    const int size = 2 + repetition % 3;
    const int lost = repetition % size;
    const int last_collective = repetition % 4;
    CAPTURE(repetition, size, lost);
    const Ranks ranks = make_ranks(size, {.grace = 20s});
    const auto begin = Clock::now();
    const auto thrown = on_threads(size, [&](int rank) {
      const auto& own = ranks[static_cast<std::size_t>(rank)];
      for (int i = 0; i < last_collective; ++i) {
        reduce(own, 30s);
      }
      if (rank != lost) {
        reduce(own, 20ms);
      }
    });
    CHECK(Clock::now() - begin < 10s);
    for (int rank = 0; rank < size; ++rank) {
      const std::string text = text_of(thrown[static_cast<std::size_t>(rank)]);
      const std::string expired = "collective " + std::to_string(last_collective + 1) + " ";
      CHECK((rank == lost ? text.empty() : text.find(expired) != std::string::npos));
    }
  }
  CHECK(scripted.misuse() == std::vector<std::string>{});
}

// What ends the process, in one of its own.

TEST_CASE("child process: ncclCommAbort does not return") {
  ONLY_IF(is_child());
  const ScriptedNccl scripted({.on_abort = [](int) -> ncclResult_t { stay(); }});
  reduce(make_ranks(2, {.grace = 50ms})[0]);
}

TEST_CASE("child process: on_abort does not return") {
  ONLY_IF(is_child());
  const ScriptedNccl scripted;
  reduce(make_ranks(2, {.on_abort = [](const NcclAbortInfo&) { stay(); }, .grace = 50ms})[0]);
}

TEST_CASE("child process: the grace is that of the latest run") {
  ONLY_IF(is_child());
  const ScriptedNccl scripted({.on_abort = [](int) -> ncclResult_t { stay(); }});
  const detail::OngoingRun run({.deadline = 60s, .grace = 50ms});
  reduce(make_ranks(2)[0]);
}

TEST_CASE("child process: NCCL returns within the grace") {
  ONLY_IF(is_child());
  const ScriptedNccl scripted({.on_abort = [](int) {
    std::this_thread::sleep_for(100ms);
    return ncclSuccess;
  }});
  const Ranks ranks = make_ranks(2, {.grace = 30s});
  CHECK_THROWS_AS(reduce(ranks[0]), CommunicationError);
}

TEST_CASE("holds 8: a rank over NCCL that cannot be aborted leaves with exit code 84 after the grace") {
  const auto begin = Clock::now();
  CHECK(run_child("ncclCommAbort does not return") == deadline_exit_code);
  CHECK(run_child("on_abort does not return") == deadline_exit_code);
  CHECK(run_child("the grace is that of the latest run") == deadline_exit_code);
  CHECK(Clock::now() - begin < 60s);
}

TEST_CASE("NCCL expiry: a rank whose abort returns within the grace throws and goes on") {
  CHECK(run_child("NCCL returns within the grace") == 0);
}

}  // namespace contextual::test::nccl_test::nccl_abort_test

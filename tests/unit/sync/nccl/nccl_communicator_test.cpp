#include "contextual/sync/nccl/nccl_communicator.hpp"

#include "support/catch.hpp"
#include "support/engine.hpp"
#include "unit/sync/nccl/nccl_ranks.hpp"

#include <contextual/cuda/error.hpp>
#include <contextual/testing/communicator_conformance.hpp>

#include <mutex>

namespace contextual::test::nccl_test::nccl_communicator_test {

namespace {

Deadline soon() {
  return Deadline::after(std::chrono::seconds(30));
}

std::vector<std::string> conformance_of(int size) {
  const Ranks ranks = make_ranks(size);
  return testing::check_communicator(
      [&](int rank) { return rank_thread(ranks.at(static_cast<std::size_t>(rank))); }, size);
}

}  // namespace

TEST_CASE("NcclCommunicator: conforms with 1, 2, 4 and 8 ranks") {
  for (const int size : {1, 2, 4, 8}) {
    CAPTURE(size);
    const ScriptedNccl scripted;
    CHECK(conformance_of(size) == std::vector<std::string>{});
    CHECK(scripted.misuse() == std::vector<std::string>{});
  }
}

TEST_CASE("NcclCommunicator: conforms where operations take long, take none, or keep the device busy") {
  for (const Script& script : {Script{.operation_polls = 20}, Script{.init_polls = 0, .operation_polls = 0},
                               Script{.waits_in_progress = false}}) {
    const ScriptedNccl scripted(script);
    CHECK(conformance_of(3) == std::vector<std::string>{});
    CHECK(scripted.misuse() == std::vector<std::string>{});
  }
}

TEST_CASE("NcclCommunicator: says its rank, its size and the version of NCCL") {
  const ScriptedNccl scripted;
  const Ranks ranks = make_ranks(2);
  CHECK(ranks[1]->rank() == 1);
  CHECK(ranks[1]->size() == 2);
  CHECK(ranks[1]->describe() == "NCCL 2.28.3 (2 ranks)");
  CHECK(make_ranks(1)[0]->describe() == "NCCL 2.28.3 (1 rank)");
}

TEST_CASE("NcclCommunicator: more words and bytes than its buffer holds take several turns") {
  const ScriptedNccl scripted;
  const Ranks ranks = make_ranks(3);
  const std::size_t words = 3 * sync::NcclCommunicator::buffer_bytes(3) / sizeof(std::int64_t) + 5;
  const std::size_t bytes = sync::NcclCommunicator::buffer_bytes(3) + 7;
  std::vector<std::vector<std::int64_t>> values(3);
  std::vector<std::vector<std::string>> texts(3);
  const auto text_of_rank = [&](int rank) {  // of rank 1 nothing, of the others more than a turn
    std::string text(rank == 1 ? 0 : bytes + static_cast<std::size_t>(rank), static_cast<char>('a' + rank));
    if (!text.empty()) {
      text.back() = 'Z';
    }
    return text;
  };
  const auto thrown = on_threads(3, [&](int rank) {
    const auto at = static_cast<std::size_t>(rank);
    for (std::size_t i = 0; i < words; ++i) {
      values[at].push_back(static_cast<int>(i % 3) == rank ? static_cast<std::int64_t>(i) : -1);
    }
    ranks[at]->all_reduce_max(values[at], soon());
    texts[at] = ranks[at]->all_gather(text_of_rank(rank), soon());
  });
  for (int rank = 0; rank < 3; ++rank) {
    REQUIRE(text_of(thrown[static_cast<std::size_t>(rank)]) == "");
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < words; ++i) {
      wrong += values[static_cast<std::size_t>(rank)][i] == static_cast<std::int64_t>(i) ? 0 : 1;
    }
    CHECK(wrong == 0);
    CHECK((texts[static_cast<std::size_t>(rank)] ==
           std::vector<std::string>{text_of_rank(0), text_of_rank(1), text_of_rank(2)}));
  }
}

TEST_CASE("NcclCommunicator: is destroyed after its messages are delivered, and frees what it took") {
  const ScriptedNccl scripted;
  const int living = ScriptedGpu::living();
  const int retained = ScriptedGpu::retained();
  { const Ranks ranks = make_ranks(4); }
  CHECK(scripted.made() == 4);
  CHECK(scripted.destroyed() == 4);
  CHECK(scripted.aborted() == 0);
  CHECK(ScriptedGpu::living() == living);
  CHECK(ScriptedGpu::retained() == retained);
  CHECK(scripted.misuse() == std::vector<std::string>{});
}

TEST_CASE("NcclCommunicator: its destructor waits no longer than the grace") {
  const ScriptedNccl scripted({.finalize_never_ends = true});
  const int living = ScriptedGpu::living();
  const auto begin = std::chrono::steady_clock::now();
  { const Ranks ranks = make_ranks(2, {.grace = std::chrono::milliseconds(50)}); }
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
  CHECK(scripted.destroyed() == 0);
  CHECK(ScriptedGpu::living() > living);  // NCCL may still use it
}

TEST_CASE("NcclCommunicator: does not block, and is small and named where the version knows that") {
  std::vector<ncclConfig_t> configs;
  std::mutex mutex;
  const ScriptedNccl scripted({.on_config = [&](const ncclConfig_t& config) {
    const std::lock_guard lock(mutex);
    configs.push_back(config);
  }});
  make_ranks(1);
  REQUIRE(configs.size() == 1);
  CHECK(configs[0].blocking == 0);
  CHECK(configs[0].maxCTAs == 1);
  REQUIRE(configs[0].commName != nullptr);
  CHECK(std::string(configs[0].commName) == "contextual");
}

TEST_CASE("nccl_communicator: an expiry in the initialisation is an error, and NCCL is aborted") {
  const ScriptedNccl scripted({.init_never_ends = true});
  const std::string text = error_text<CommunicationError>(
      [] { make_ranks(2, {.setup_deadline = std::chrono::milliseconds(30)}); });
  CHECK_THAT(text, ContainsSubstring("rank 0 of 2: no communicator over NCCL could be made"));
  CHECK_THAT(text, ContainsSubstring("deadline"));
  CHECK(scripted.aborted() == 2);
}

TEST_CASE("nccl_communicator: where a rank never makes its communicator, the others' deadline expires") {
  const ScriptedNccl scripted;
  const ncclUniqueId id = nccl_id();
  const auto thrown = on_threads(2, [&](int rank) {
    nccl_communicator(id, rank, 3, {.setup_deadline = std::chrono::milliseconds(30), .device = rank});
  });
  CHECK_THAT(text_of(thrown[0]), ContainsSubstring("rank 0 of 3"));
  CHECK_THAT(text_of(thrown[1]), ContainsSubstring("rank 1 of 3"));
  CHECK(scripted.aborted() == 2);
}

TEST_CASE("nccl_communicator: a failed set-up raises no word and does not call on_abort") {
  const ScriptedNccl scripted({.init_never_ends = true});
  std::uint32_t word = 0;
  const AbortWord holds(&word);
  bool called = false;
  CHECK_THROWS_AS(make_ranks(1, {.setup_deadline = std::chrono::milliseconds(20),
                                 .on_abort = [&](const NcclAbortInfo&) { called = true; }}),
                  CommunicationError);
  CHECK(word == 0);
  CHECK_FALSE(called);
}

TEST_CASE("nccl_communicator: an abort of the set-up that does not return is left alone") {
  struct Abort {
    std::latch may_return{1};
    std::latch returned{1};
  };
  const auto abort = std::make_shared<Abort>();  // the thread that is left alone has it as well
  const ScriptedNccl scripted({.init_never_ends = true, .on_abort = [abort](int) {
                                 abort->may_return.wait();
                                 abort->returned.count_down();
                                 return ncclSuccess;
                               }});
  const std::string text = error_text<CommunicationError>([] {
    make_ranks(1, {.setup_deadline = std::chrono::milliseconds(20), .grace = std::chrono::milliseconds(20)});
  });
  CHECK_THAT(text, ContainsSubstring("ncclCommAbort did not return within grace (20 ms)"));
  abort->may_return.count_down();
  abort->returned.wait();
}

TEST_CASE("nccl_communicator: a rank outside of its size, and a device that does not exist, are refused") {
  const ScriptedNccl scripted;
  const ncclUniqueId id = nccl_id();
  CHECK_THROWS_AS(nccl_communicator(id, 2, 2), InvalidArgument);
  CHECK_THROWS_AS(nccl_communicator(id, -1, 2), InvalidArgument);
  CHECK_THROWS_AS(nccl_communicator(id, 0, 0), InvalidArgument);
  CHECK_THROWS_AS(nccl_communicator(id, 0, 1, {.device = 99}), InvalidArgument);
  CHECK_THROWS_AS(nccl_communicator(ncclComm_t{nullptr}), InvalidArgument);
  ScriptedGpu::set_current(nullptr);
  CHECK_THAT(error_text<InvalidArgument>([&] { nccl_communicator(id, 0, 1); }),
             ContainsSubstring("cudaSetDevice"));
  CHECK(scripted.made() == 0);
}

TEST_CASE("nccl_communicator: takes the current device of its thread, and leaves it current") {
  const ScriptedNccl scripted;
  ScriptedGpu::set_current(ScriptedGpu::context(5));
  const auto communicator = nccl_communicator(nccl_id(), 0, 1);
  std::vector<std::int64_t> values{3};
  ScriptedGpu::set_current(ScriptedGpu::context(2));  // the caller goes on with another one
  communicator->all_reduce_max(values, soon());
  CHECK(ScriptedGpu::device_of(ScriptedGpu::current()) == 2);
  CHECK(scripted.misuse() == std::vector<std::string>{});
}

TEST_CASE("nccl_communicator: a broadcast of the application carries the id of rank 0") {
  const ScriptedNccl scripted;
  ncclUniqueId shared{};
  std::latch sent(1);
  const auto thrown = on_threads(3, [&](int rank) {
    const auto communicator = nccl_communicator(rank, 3,
                                                [&](ncclUniqueId& id) {
                                                  if (rank == 0) {
                                                    shared = id;
                                                    sent.count_down();
                                                  } else {
                                                    sent.wait();
                                                    id = shared;
                                                  }
                                                },
                                                {.device = rank});
    std::vector<std::int64_t> values{rank};
    communicator->all_reduce_max(values, soon());
    if (values[0] != 2) {
      throw Error("the ranks are not together");
    }
  });
  check_well(thrown);
}

TEST_CASE("nccl_communicator: what the application's broadcast throws passes through") {
  const ScriptedNccl scripted;
  CHECK_THROWS_AS(nccl_communicator(1, 2, [](ncclUniqueId&) { throw std::out_of_range("no transport"); }),
                  std::out_of_range);
  CHECK(scripted.made() == 0);
}

TEST_CASE("nccl_communicator: over an application's communicator, whether it blocks or not") {
  for (const bool blocks : {false, true}) {
    CAPTURE(blocks);
    ScriptedNccl scripted;
    const auto application = scripted.make_application(4, blocks);
    std::vector<int> devices(4, -1);
    const auto thrown = on_threads(4, [&](int rank) {
      const auto at = static_cast<std::size_t>(rank);
      const auto communicator = nccl_communicator(application[at]);
      std::vector<std::int64_t> values{rank};
      communicator->all_reduce_max(values, soon());
      if (values[0] != 3 || communicator->rank() != rank || communicator->size() != 4) {
        throw Error("the ranks are not those of the application");
      }
    });
    check_well(thrown);
    CHECK(scripted.made() == 8);  // its own, not a part of the application's
    CHECK(scripted.destroyed() == 4);
    CHECK(scripted.misuse() == std::vector<std::string>{});
  }
}

TEST_CASE("nccl_communicator: a rank that stays away from the application's broadcast is an expiry") {
  for (const bool blocks : {false, true}) {
    CAPTURE(blocks);
    ScriptedNccl scripted;
    const auto application = scripted.make_application(3, blocks);
    const auto begin = std::chrono::steady_clock::now();
    const auto thrown = on_threads(2, [&](int rank) {
      nccl_communicator(application[static_cast<std::size_t>(rank)],
                        {.setup_deadline = std::chrono::milliseconds(50)});
    });
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
    for (const auto& one : thrown) {
      CHECK_THAT(text_of(one),
                 ContainsSubstring("the id did not travel over the application's NCCL communicator"));
      CHECK_THAT(text_of(one), ContainsSubstring("deadline expired"));
    }
    CHECK(scripted.aborted() == 0);  // it is the application's to abort
  }
}

}  // namespace contextual::test::nccl_test::nccl_communicator_test

#include "support/catch.hpp"

#include <contextual/error.hpp>
#include <contextual/testing/communicator_conformance.hpp>
#include <contextual/testing/scripted_communicator.hpp>

namespace contextual::testing::scripted_communicator_test {

namespace {

using Handle = std::shared_ptr<Communicator>;

Deadline far() {
  return Deadline::after(std::chrono::minutes(2));
}
Deadline near() {
  return Deadline::after(std::chrono::milliseconds(50));
}

std::vector<std::int64_t> reduce(Communicator& communicator, std::vector<std::int64_t> values,
                                 Deadline deadline) {
  communicator.all_reduce_max(values, std::move(deadline));
  return values;
}

}  // namespace

TEST_CASE("ScriptedWorld: conforms with 2, 3 and 16 ranks") {
  for (const int ranks : {1, 2, 3, 16}) {
    ScriptedWorld world(ranks);
    CHECK(testing::check_communicator([&](int rank) { return world.communicator(rank); }, ranks,
                                      std::chrono::milliseconds(500)) == std::vector<std::string>{});
  }
}

TEST_CASE("ScriptedWorld: 64 ranks agree on every of many collectives") {
  constexpr int ranks = 64;
  constexpr int rounds = 50;
  ScriptedWorld world(ranks);
  std::vector<int> wrong(ranks, 0);
  const auto thrown = world.run([&](int rank, const Handle& communicator) {
    for (int round = 0; round < rounds; ++round) {
      const auto values = reduce(*communicator, {round * 100 + rank, -rank}, far());
      wrong[static_cast<std::size_t>(rank)] +=
          values != std::vector<std::int64_t>{round * 100 + ranks - 1, 0};
      const auto parts = communicator->all_gather(std::to_string(rank), far());
      for (int other = 0; other < ranks; ++other) {
        wrong[static_cast<std::size_t>(rank)] +=
            parts[static_cast<std::size_t>(other)] != std::to_string(other);
      }
    }
  });
  for (int rank = 0; rank < ranks; ++rank) {
    CHECK_FALSE(thrown[static_cast<std::size_t>(rank)]);
    CHECK(wrong[static_cast<std::size_t>(rank)] == 0);
  }
  const auto traffic = world.traffic();
  CHECK(traffic.collectives == 2 * rounds);
  CHECK(traffic.reduces == rounds);
  CHECK(traffic.reduced_words == 2 * rounds);
  CHECK(traffic.gathered_bytes == rounds * (10 + 54 * 2));
}

TEST_CASE("ScriptedWorld: a dropped rank is named on every rank and poisons all") {
  ScriptedWorld world(4);
  world.drop(2, 1);
  std::vector<std::string> later(4);
  const auto thrown = world.run([&](int rank, const Handle& communicator) {
    reduce(*communicator, {rank}, far());
    try {
      // Only one deadline expires: the first to expire speaks for all.
      reduce(*communicator, {rank}, rank == 0 ? Deadline::after(std::chrono::seconds(1)) : far());
    } catch (const CommunicationError& error) {
      later[static_cast<std::size_t>(rank)] = error.what();
      reduce(*communicator, {rank}, far());
    }
  });
  for (std::size_t rank = 0; rank < 4; ++rank) {
    const auto error = test::thrown_as<CommunicationError>(thrown[rank]);
    CHECK(error.missing_ranks() == std::vector<int>{2});
    CHECK_THAT(later[rank], ContainsSubstring("missing ranks: 2"));
  }
  CHECK(world.poisoned());
  CHECK(world.traffic().collectives == 1);
}

TEST_CASE("ScriptedWorld: a rank that is gone is waited for until the deadline and named as gone") {
  ScriptedWorld world(3);
  const auto thrown = world.run([&](int rank, const Handle& communicator) {
    reduce(*communicator, {rank}, far());
    if (rank != 1) {
      reduce(*communicator, {rank}, Deadline::after(std::chrono::seconds(1)));
    }
  });
  CHECK_FALSE(thrown[1]);
  for (const std::size_t rank : {0U, 2U}) {
    const auto error = test::thrown_as<CommunicationError>(thrown[rank]);
    CHECK(error.missing_ranks() == std::vector<int>{1});
    CHECK_THAT(error.what(), ContainsSubstring("1 (gone)"));
  }
}

TEST_CASE("ScriptedWorld: different lengths or collectives are an error on all ranks") {
  for (const bool gather : {false, true}) {
    ScriptedWorld world(3);
    const auto thrown = world.run([&](int rank, const Handle& communicator) {
      if (gather && rank == 2) {
        communicator->all_gather("x", far());
      } else {
        reduce(*communicator, std::vector<std::int64_t>(rank == 2 ? 5 : 4), far());
      }
    });
    for (const auto& one : thrown) {
      const auto error = test::thrown_as<CommunicationError>(one);
      CHECK(error.missing_ranks().empty());
      CHECK_THAT(error.what(),
                 ContainsSubstring(gather ? "rank 0 reduces 4 values where rank 2 gathers"
                                          : "rank 0 reduces 4 values where rank 2 reduces 5 values"));
    }
  }
}

TEST_CASE("ScriptedWorld: a delayed rank arrives and changes nothing") {
  ScriptedWorld world(2);
  world.delay(1, 0, std::chrono::milliseconds(5));
  std::vector<std::vector<std::int64_t>> values(2);
  const auto thrown = world.run([&](int rank, const Handle& communicator) {
    values[static_cast<std::size_t>(rank)] = reduce(*communicator, {rank}, far());
  });
  CHECK_FALSE(thrown[0]);
  CHECK_FALSE(thrown[1]);
  CHECK(values == std::vector<std::vector<std::int64_t>>{{1}, {1}});
}

TEST_CASE("ScriptedWorld: an expired rank alone throws, and its world is poisoned for those who come later") {
  ScriptedWorld world(2);
  const Handle first = world.communicator(0);
  const Handle second = world.communicator(1);
  CHECK_THROWS_AS(reduce(*first, {1}, near()), CommunicationError);
  CHECK_THROWS_AS(reduce(*second, {1}, far()), CommunicationError);
  CHECK_THROWS_AS(second->all_gather("", far()), CommunicationError);
}

TEST_CASE("ScriptedWorld: process scopes differ between ranks and between worlds") {
  std::set<std::string> scopes;
  for (int i = 0; i < 2; ++i) {
    ScriptedWorld world(3);
    for (int rank = 0; rank < 3; ++rank) {
      scopes.emplace(world.communicator(rank)->process_scope());
    }
  }
  CHECK(scopes.size() == 6);
}

TEST_CASE("ScriptedWorld: a communicator is the same at every call and outlives its world") {
  Handle communicator;
  {
    ScriptedWorld world(1);
    communicator = world.communicator(0);
    CHECK(world.communicator(0) == communicator);
  }
  CHECK(reduce(*communicator, {5}, far()) == std::vector<std::int64_t>{5});
  CHECK(communicator->describe() == "scripted (1 ranks)");
}

TEST_CASE("ScriptedWorld: no ranks, or a rank that does not exist, is an invalid argument") {
  CHECK_THROWS_AS(ScriptedWorld(0), InvalidArgument);
  ScriptedWorld world(2);
  CHECK_THROWS_AS(world.communicator(2), InvalidArgument);
  CHECK_THROWS_AS(world.drop(-1, 0), InvalidArgument);
  CHECK_THROWS_AS(world.delay(5, 0, std::chrono::seconds(1)), InvalidArgument);
}

TEST_CASE("ScriptedWorld: run hands back what a body threw") {
  ScriptedWorld world(2);
  const auto thrown = world.run([](int rank, const Handle&) {
    if (rank == 1) {
      throw std::runtime_error("mine");
    }
  });
  CHECK_FALSE(thrown[0]);
  REQUIRE(thrown[1]);
  CHECK_THROWS_WITH(std::rethrow_exception(thrown[1]), "mine");
}

}  // namespace contextual::testing::scripted_communicator_test

/// \file
/// Meetings over real sockets on the loopback address, with ranks that are threads.

#include "contextual/sync/nccl/rendezvous.hpp"

#include "contextual/sync/nccl/tcp_socket.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"
#include "unit/sync/nccl/nccl_ranks.hpp"

namespace contextual::test::nccl_test::rendezvous_test {

using namespace sync;
using namespace std::chrono_literals;

namespace {

RendezvousPlace free_place() {
  return {"127.0.0.1", free_port(), 42};
}

std::string meet_in(const RendezvousPlace& place, int rank, int size, std::chrono::milliseconds time,
                    std::string_view text = "") {
  Deadline deadline = Deadline::after(time);
  return meet(place, rank, size, text, deadline);
}

std::vector<int> missing_of(const std::exception_ptr& thrown) {
  return thrown_as<CommunicationError>(thrown).missing_ranks();
}

/// Connects as anybody may, once rank 0 listens.
TcpSocket connect(const RendezvousPlace& place) {
  for (;;) {
    Deadline deadline = Deadline::after(10s);
    std::string problem;
    if (TcpSocket socket = connect_to(place.host, place.port, deadline, problem)) {
      return socket;
    }
    std::this_thread::sleep_for(1ms);
  }
}

/// What rank 1 of three says first: a word, the job, the size, the rank, that it greets, and that this is
/// all.
std::string greeting_of_rank_1() {
  const std::uint64_t job = 42;
  const std::uint32_t rest[] = {3, 1, 1, 0};
  std::string said = "cntxtual";
  said.append(reinterpret_cast<const char*>(&job), sizeof job);
  return said.append(reinterpret_cast<const char*>(rest), sizeof rest);
}

/// What is read until the peer closes, but for at most 10 s.
std::string read_all(const TcpSocket& socket) {
  std::string said;
  for (int i = 0; i < 10'000 && socket.receive(said, 1 << 20); ++i) {
    std::this_thread::sleep_for(1ms);
  }
  return said;
}

}  // namespace

TEST_CASE("rendezvous: all ranks learn what rank 0 has for them") {
  for (const int size : {1, 2, 5, 16}) {
    CAPTURE(size);
    const RendezvousPlace place = free_place();
    const std::string id = std::string("an id\0 of ", 10) + std::to_string(size);
    std::vector<std::string> learnt(static_cast<std::size_t>(size));
    const auto thrown = on_threads(size, [&](int rank) {
      learnt[static_cast<std::size_t>(rank)] = meet_in(place, rank, size, 30s, rank == 0 ? id : "not this");
    });
    check_well(thrown);
    CHECK(learnt == std::vector<std::string>(learnt.size(), id));
  }
}

TEST_CASE("rendezvous: ranks may be late, rank 0 too") {
  for (const int late : {0, 2}) {
    const RendezvousPlace place = free_place();
    std::vector<std::string> learnt(3);
    on_threads(3, [&](int rank) {
      if (rank == late) {
        std::this_thread::sleep_for(300ms);
      }
      learnt[static_cast<std::size_t>(rank)] = meet_in(place, rank, 3, 30s, "id");
    });
    CHECK(learnt == std::vector<std::string>(3, "id"));
  }
}

TEST_CASE("rendezvous: the same port serves one meeting after the other") {
  const RendezvousPlace place = free_place();
  std::atomic<int> wrong{0};
  const auto thrown = on_threads(3, [&](int rank) {
    for (int round = 0; round < 20; ++round) {
      wrong += meet_in(place, rank, 3, 30s, "id " + std::to_string(round)) == "id " + std::to_string(round)
                   ? 0
                   : 1;
    }
  });
  check_well(thrown);
  CHECK(wrong == 0);
}

TEST_CASE("rendezvous: all ranks that came name those that did not") {
  const RendezvousPlace place = free_place();
  const auto begin = std::chrono::steady_clock::now();
  const auto thrown = on_threads(3, [&](int rank) { meet_in(place, rank, 5, 300ms, "id"); });
  CHECK(std::chrono::steady_clock::now() - begin < 20s);
  for (const auto& one : thrown) {
    CHECK(missing_of(one) == std::vector<int>{3, 4});
    CHECK_THAT(text_of(one), ContainsSubstring("came"));
  }
}

TEST_CASE("rendezvous: where rank 0 never comes, the others name it, and the place") {
  const RendezvousPlace place = free_place();
  const auto thrown = on_threads(1, [&](int) { meet_in(place, 1, 2, 100ms); });
  CHECK(missing_of(thrown[0]) == std::vector<int>{0});
  CHECK_THAT(text_of(thrown[0]), ContainsSubstring("127.0.0.1, port " + std::to_string(place.port)));
}

TEST_CASE("rendezvous: a rank of another number of ranks is refused at once, and the others meet") {
  const RendezvousPlace place = free_place();
  const auto begin = std::chrono::steady_clock::now();
  const auto thrown = on_threads(3, [&](int rank) {
    if (rank == 2) {
      meet_in(place, 1, 8, 60s);  // before, after or while the others meet
    } else {
      std::this_thread::sleep_for(rank == 1 ? 300ms : 0ms);
      meet_in(place, rank, 2, 60s, "id");
    }
  });
  CHECK(std::chrono::steady_clock::now() - begin < 30s);
  CHECK(text_of(thrown[0]) == "");
  CHECK(text_of(thrown[1]) == "");
  CHECK_THAT(text_of(thrown[2]), ContainsSubstring("rank 1 of 8 was refused by rank 0"));
  CHECK_THAT(text_of(thrown[2]), ContainsSubstring("rank 0 has 2 ranks"));
}

TEST_CASE(
    "rendezvous: of two processes that are the same rank, the second is refused; who is missing is named") {
  const RendezvousPlace place = free_place();
  const auto thrown = on_threads(3, [&](int rank) { meet_in(place, rank == 0 ? 0 : 1, 3, 500ms, "id"); });
  CHECK(missing_of(thrown[0]) == std::vector<int>{2});
  CHECK_THAT(text_of(thrown[0]),
             ContainsSubstring("refused: rank 1 of 3 (another process is that rank already)"));
  const std::string both = text_of(thrown[1]) + text_of(thrown[2]);
  CHECK_THAT(both, ContainsSubstring("was refused by rank 0"));
  CHECK_THAT(both, ContainsSubstring("not all ranks came"));
}

TEST_CASE("rendezvous: a rank of another job, and one that cannot be, are refused") {
  for (const auto& [job, rank, words] : {std::tuple{std::uint64_t{43}, 1, "belongs to another job"},
                                         std::tuple{std::uint64_t{42}, 7, "there can be no such rank"}}) {
    RendezvousPlace place = free_place();
    const RendezvousPlace theirs{place.host, place.port, job};
    const auto thrown = on_threads(2, [&, rank = rank](int thread) {
      thread == 0 ? meet_in(place, 0, 2, 400ms, "id") : meet_in(theirs, rank, 2, 60s);
    });
    CHECK(missing_of(thrown[0]) == std::vector<int>{1});
    CHECK_THAT(text_of(thrown[1]), ContainsSubstring(words));
  }
}

TEST_CASE("rendezvous: clients that are no ranks learn nothing and disturb nobody") {
  const RendezvousPlace place = free_place();
  std::string heard;
  std::string heard_late = "not closed";
  const auto thrown = on_threads(4, [&](int thread) {
    if (thread == 2) {
      const TcpSocket socket = connect(place);
      socket.send("GET / HTTP/1.1\r\nHost: somebody\r\n\r\n");
      heard = read_all(socket);
    } else if (thread == 3) {
      const TcpSocket silent = connect(place);
      const TcpSocket half = connect(place);
      half.send(greeting_of_rank_1().substr(0, 20));
      heard_late = read_all(silent);
    } else {
      std::this_thread::sleep_for(thread == 1 ? 500ms : 0ms);
      meet_in(place, thread, 2, 60s, "a secret id");
    }
  });
  CHECK(text_of(thrown[0]) == "");
  CHECK(text_of(thrown[1]) == "");
  CHECK(heard.empty());
  CHECK(heard_late.empty());
}

TEST_CASE("rendezvous: a rank that leaves and comes again is welcome, one that has left is missing") {
  const RendezvousPlace place = free_place();
  std::string learnt;
  const auto thrown = on_threads(3, [&](int rank) {
    if (rank == 1) {
      { connect(place).send(greeting_of_rank_1()); }
      std::this_thread::sleep_for(200ms);
      learnt = meet_in(place, 1, 3, 30s);
    } else {
      std::this_thread::sleep_for(rank == 2 ? 500ms : 0ms);
      meet_in(place, rank, 3, 30s, "id");
    }
  });
  CHECK(text_of(thrown[0]) == "");
  CHECK(learnt == "id");

  const RendezvousPlace other = free_place();
  const auto left = on_threads(2, [&](int rank) {
    if (rank == 1) {
      connect(other).send(greeting_of_rank_1());
    } else {
      meet_in(other, 0, 3, 500ms, "id");
    }
  });
  CHECK(missing_of(left[0]) == std::vector<int>{1, 2});
}

TEST_CASE("rendezvous: a port in use is an error that says which variable to set") {
  const RendezvousPlace place = free_place();
  std::string problem;
  const TcpSocket taken = listen_on(place.port, true, problem);
  REQUIRE(taken);
  const std::string text = error_text<CommunicationError>([&] { meet_in(place, 0, 2, 300ms, "id"); });
  CHECK_THAT(text, ContainsSubstring("port " + std::to_string(place.port)));
  CHECK_THAT(text, ContainsSubstring("CONTEXTUAL_RENDEZVOUS_PORT"));
}

TEST_CASE("rendezvous: somebody else's answers are not taken for rank 0's") {
  std::string endless = greeting_of_rank_1();  // an answer that says that it is 4 GiB long
  endless.replace(24, 8, std::string("\x02\0\0\0", 4) + "\xff\xff\xff\xff");
  const std::string said =
      GENERATE_COPY(endless, std::string("SSH-2.0-OpenSSH_9.2 and more than a header has\r\n"));
  const RendezvousPlace place = free_place();
  std::string problem;
  const TcpSocket impostor = listen_on(place.port, true, problem);
  REQUIRE(impostor);
  std::atomic<bool> over{false};
  std::thread answers([&] {
    while (!over) {
      if (const TcpSocket client = accept_from(impostor)) {
        client.send(said);
        std::this_thread::sleep_for(5ms);
      }
    }
  });
  const std::string text = error_text<CommunicationError>([&] { meet_in(place, 1, 2, 200ms); });
  over = true;
  answers.join();
  CHECK_THAT(text, ContainsSubstring("rank 1 did not meet rank 0"));
}

TEST_CASE("rendezvous: a host that no name server knows is told") {
  const RendezvousPlace place{"no-such-host.invalid", 28484, 42};
  const std::string text = error_text<CommunicationError>([&] { meet_in(place, 1, 2, 100ms); });
  CHECK_THAT(text, ContainsSubstring("no-such-host.invalid"));
}

}  // namespace contextual::test::nccl_test::rendezvous_test

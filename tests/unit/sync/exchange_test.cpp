#include "contextual/sync/exchange.hpp"

#include "support/catch.hpp"

#include <contextual/error.hpp>
#include <contextual/testing/scripted_communicator.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <limits>
#include <vector>

using namespace contextual;
using sync::Agreement;
using sync::Exchange;
using sync::Field;
using sync::Flag;
using sync::Header;

namespace {

constexpr int ranks = 5;
constexpr auto timeout = std::chrono::seconds(60);

/// What each rank learned from `header(rank)`.
std::vector<Agreement> agreements(const std::function<Header(int rank)>& header) {
  std::vector<Agreement> learned(ranks);
  testing::ScriptedWorld world(ranks);
  const auto thrown = world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    Exchange exchange(*communicator, timeout);
    learned[static_cast<std::size_t>(rank)] = exchange.agree(header(rank));
  });
  for (const auto& error : thrown) {
    CHECK_FALSE(error);
  }
  return learned;
}

/// The fields that a user of the exchange sets.
std::vector<Field> settable_fields() {
  return {Field::stage, Field::region, Field::options, Field::plan, Field::launches, Field::problems};
}

}  // namespace

TEST_CASE("an exchange tells all ranks the largest offer and finds no difference in offers", "[unit]") {
  const auto learned = agreements([](int rank) {
    Header header;
    header.offer(rank == 1 ? 42 : 0);
    return header;
  });
  for (const Agreement& agreement : learned) {
    CHECK(agreement.largest_offer() == 42);
    CHECK_FALSE(agreement.differs(Field::stage));
  }
}

TEST_CASE("an exchange of equal headers differs nowhere and raises nothing", "[unit]") {
  const auto learned = agreements([](int) {
    Header header;
    for (const Field field : settable_fields()) {
      header.set(field, 0x9e3779b97f4a7c15ULL * (static_cast<std::uint64_t>(field) + 1));
    }
    return header;
  });
  for (const Agreement& agreement : learned) {
    for (std::size_t field = 0; field < sync::field_count; ++field) {
      CHECK_FALSE(agreement.differs(static_cast<Field>(field)));
    }
    for (std::size_t flag = 0; flag < sync::flag_count; ++flag) {
      CHECK_FALSE(agreement.raised(static_cast<Flag>(flag)));
    }
  }
}

TEST_CASE("an exchange in which one rank has another field says which on all ranks", "[unit]") {
  constexpr auto largest = std::numeric_limits<std::uint64_t>::max();
  const auto pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>{
      {1, 2}, {2, 1}, {0, largest}, {largest, 0}, {largest / 2, largest / 2 + 1}};
  for (const Field odd : settable_fields()) {
    for (const auto& [others, own] : pairs) {
      const int odd_rank = static_cast<int>(odd) % ranks;
      INFO("field " << static_cast<std::size_t>(odd) << ", " << others << " and " << own);
      const auto learned = agreements([&, value = others, odd_value = own](int rank) {
        Header header;
        for (const Field field : settable_fields()) {
          header.set(field, 77);
        }
        header.set(odd, rank == odd_rank ? odd_value : value);
        return header;
      });
      for (const Agreement& agreement : learned) {
        for (std::size_t field = 0; field < sync::field_count; ++field) {
          CHECK(agreement.differs(static_cast<Field>(field)) == (field == static_cast<std::size_t>(odd)));
        }
      }
    }
  }
}

TEST_CASE("an exchange raises a flag on all ranks when one rank raises it", "[unit]") {
  for (std::size_t odd = 0; odd < sync::flag_count; ++odd) {
    const auto learned = agreements([&](int rank) {
      Header header;
      header.raise(static_cast<Flag>(odd), rank == 3);
      return header;
    });
    for (const Agreement& agreement : learned) {
      for (std::size_t flag = 0; flag < sync::flag_count; ++flag) {
        CHECK(agreement.raised(static_cast<Flag>(flag)) == (flag == odd));
      }
    }
  }
}

TEST_CASE("a header's flag stays raised once it is", "[unit]") {
  Header header;
  header.raise(Flag::rejections, true);
  header.raise(Flag::rejections, false);
  const auto communicator = one_rank();
  Exchange exchange(*communicator, timeout);
  CHECK(exchange.agree(header).raised(Flag::rejections));
  CHECK_FALSE(exchange.agree(header).raised(Flag::region_threw));
}

TEST_CASE("an exchange sees a rank that has done another number of exchanges", "[unit]") {
  testing::ScriptedWorld world(2);
  std::vector<Agreement> learned(2);
  const auto thrown = world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    Exchange first(*communicator, timeout);
    Exchange second(*communicator, timeout);  // begins again
    first.agree(Header{});
    learned[static_cast<std::size_t>(rank)] = (rank == 0 ? first : second).agree(Header{});
  });
  CHECK_FALSE(thrown[0]);
  CHECK_FALSE(thrown[1]);
  for (const Agreement& agreement : learned) {
    CHECK(agreement.differs(Field::sequence));
    CHECK_FALSE(agreement.differs(Field::version));
  }
}

TEST_CASE("an exchange's payload is the maximum and its details are in rank order", "[unit]") {
  testing::ScriptedWorld world(ranks);
  std::vector<std::vector<std::int64_t>> maxima(ranks);
  std::vector<std::vector<std::string>> details(ranks);
  world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    const auto r = static_cast<std::size_t>(rank);
    Exchange exchange(*communicator, timeout);
    maxima[r] = {rank, -rank, -1};
    exchange.max(maxima[r]);
    details[r] = exchange.gather(std::string(r, 'x'));
  });
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    CHECK(maxima[rank] == std::vector<std::int64_t>{ranks - 1, 0, -1});
    CHECK(details[rank] == std::vector<std::string>{"", "x", "xx", "xxx", "xxxx"});
  }
}

TEST_CASE("an exchange refuses to speak for its parent in a forked child", "[unit]") {
  const auto communicator = one_rank();
  Exchange exchange(*communicator, timeout);
  const auto refused = [](const auto& call) {
    try {
      call();
      return false;
    } catch (const Error& error) {
      return std::string(error.what()).find("forked") != std::string::npos;
    }
  };
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::vector<std::int64_t> values{1};
    const bool all = refused([&] { exchange.agree(Header{}); }) && refused([&] { exchange.max(values); }) &&
                     refused([&] { exchange.gather("x"); });
    _exit(all ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK_NOTHROW(exchange.agree(Header{}));  // the parent goes on
}

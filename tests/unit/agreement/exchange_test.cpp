#include "contextual/agreement/exchange.hpp"

#include "support/catch.hpp"

#include <contextual/error.hpp>
#include <contextual/testing/scripted_communicator.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <limits>
#include <vector>

namespace exchange_test {

using namespace contextual;
using agreement::Agreement;
using agreement::Exchange;
using agreement::Field;
using agreement::Flag;
using agreement::Header;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

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
  return {Field::stage,    Field::region,   Field::options, Field::plan,
          Field::launches, Field::problems, Field::kept};
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
    for (std::size_t field = 0; field < agreement::field_count; ++field) {
      CHECK_FALSE(agreement.differs(static_cast<Field>(field)));
    }
    for (std::size_t flag = 0; flag < agreement::flag_count; ++flag) {
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
        for (std::size_t field = 0; field < agreement::field_count; ++field) {
          CHECK(agreement.differs(static_cast<Field>(field)) == (field == static_cast<std::size_t>(odd)));
        }
      }
    }
  }
}

TEST_CASE("an exchange raises a flag on all ranks when one rank raises it", "[unit]") {
  for (std::size_t odd = 0; odd < agreement::flag_count; ++odd) {
    const auto learned = agreements([&](int rank) {
      Header header;
      header.raise(static_cast<Flag>(odd), rank == 3);
      return header;
    });
    for (const Agreement& agreement : learned) {
      for (std::size_t flag = 0; flag < agreement::flag_count; ++flag) {
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

TEST_CASE("an exchange that does not complete says where the run stands, its deadline and what to do",
          "[unit]") {
  testing::ScriptedWorld world(ranks);
  world.drop(2, 1);
  std::vector<std::string> messages(ranks);
  std::vector<std::vector<int>> missing(ranks);
  static_cast<void>(world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    Exchange exchange(*communicator, std::chrono::milliseconds(300));
    exchange.set_place({"r", agreement::Stage::batch, Phase::walk, 3, 10});
    try {
      exchange.agree(Header());
      static_cast<void>(exchange.gather("details"));
    } catch (const CommunicationError& error) {
      messages[static_cast<std::size_t>(rank)] = error.what();
      missing[static_cast<std::size_t>(rank)] = error.missing_ranks();
    }
  }));
  for (int rank = 0; rank < ranks; ++rank) {
    const std::string& message = messages[static_cast<std::size_t>(rank)];
    CHECK_THAT(message,
               StartsWith("region \"r\", in the exchange after tuning iterations 3 to 10 of the walk, "
                          "deadline 300 ms: "));
    CHECK_THAT(message, ContainsSubstring("raise the option `deadline`"));
    CHECK_THAT(message, ContainsSubstring("where rank 2 stopped: read them with contextual-report"));
    CHECK_THAT(message, EndsWith("(missing: rank 2)"));
    CHECK(message.find("(missing") == message.rfind("(missing"));
    CHECK(missing[static_cast<std::size_t>(rank)] == std::vector<int>{2});
  }
}

TEST_CASE("an exchange's place is told as a user sees it", "[unit]") {
  using agreement::Stage;
  CHECK(agreement::to_text({"r", Stage::hello}) ==
        "region \"r\", in the exchange before its first tuning iteration");
  CHECK(agreement::to_text({"r", Stage::prepare, Phase::search, 8, 9}) ==
        "region \"r\", in the exchange before tuning iterations 8 to 9 of the search, when their configs had "
        "been "
        "prepared");
  CHECK(agreement::to_text({"r", Stage::batch, Phase::walk, 0, 0}) ==
        "region \"r\", in the exchange after tuning iteration 0 of the walk");
  CHECK(agreement::to_text({"r", Stage::final_run, Phase::final_run, 30, 30}) ==
        "region \"r\", in the exchange after the final run");
  CHECK(agreement::to_text({"r", Stage::part}) ==
        "region \"r\", in the exchange after a run of one of its parts, or of the whole beside them");
}

}  // namespace exchange_test

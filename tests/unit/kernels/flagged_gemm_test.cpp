#include "support/catch.hpp"
#include "test_matrix.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/kernels/host/flagged_gemm.hpp>
#include <contextual/kernels/host/kernels.hpp>

namespace contextual::kernels::flagged_gemm_test {

namespace {

using test::Matrix;

constexpr double tolerance = 2e-6;

/// A GEMM of `shards` shards; A's rows come as `feed` says, from a thread of their own.
struct Product {
  Product(int shards_, long rows, long n, long k)
      : shards(shards_), a(shards_ * rows, k, 3), b(k, n, 5), c(shards_ * rows, n, 7), whole(a) {
    whole.fill_random(1);
    a.fill_nan();
    b.fill_random(2);
    c.fill_nan();
  }
  long rows() const { return a.rows / shards; }
  GemmArgs gemm() { return {a.data(), b.data(), c.data(), a.rows, b.cols, a.cols, a.ld, b.ld, c.ld, false}; }

  /// Brings rows [begin, end) of A.
  void bring(RowFlags& flags, long begin, long end) {
    std::copy(whole.data() + begin * a.ld, whole.data() + end * a.ld, a.data() + begin * a.ld);
    flags.set(begin, end);
  }
  /// The worst error; infinite if padding was touched.
  double error() const {
    if (!c.padding_untouched()) {
      return std::numeric_limits<double>::infinity();
    }
    return test::worst_error(c, [&](long i, long j) { return test::gemm_reference(whole, b, 0.0, i, j); });
  }

  int shards;
  Matrix a;
  Matrix b;
  Matrix c;
  Matrix whole;
};

}  // namespace

TEST_CASE("flagged gemm with every config reads rows only after their flags") {
  for (const FlaggedGemmConfig& config : flagged_gemm_space().configs()) {
    for (const int own : {0, 2}) {
      INFO("block_rows " << config.block_rows << " nr " << config.nr << " order " << config.order
                         << " threads " << config.threads << " own shard " << own);
      Product product(3, 130, 40, 20);
      RowFlags arrived(product.a.rows);
      std::jthread producer([&] {
        // The last shard first, in pieces that end within blocks, slowly enough for a block to begin too
        // early.
        for (const long end : {390L, 260L, 130L}) {
          for (const auto& [from, to] : {std::pair{130L, 100L}, {100L, 70L}, {70L, 10L}, {10L, 0L}}) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            product.bring(arrived, end - from, end - to);
          }
        }
      });
      flagged_gemm_compute(config, {.gemm = product.gemm(),
                                    .shards = 3,
                                    .own_shard = own,
                                    .waits_for = &arrived,
                                    .budget = std::chrono::minutes(5)});
      REQUIRE(product.error() < tolerance);
    }
  }
}

TEST_CASE("flagged gemm without flags is a gemm, with the same bits for all orders and threads") {
  Product first(2, 75, 33, 300);
  first.a = first.whole;
  flagged_gemm_compute({}, {.gemm = first.gemm(), .shards = 2});
  REQUIRE(first.error() < tolerance);
  for (const char* order : {"own_first", "own_last", "as_arrived"}) {
    Product other(2, 75, 33, 300);
    other.a = other.whole;
    flagged_gemm_compute({.block_rows = 7, .order = order, .threads = 3},
                         {.gemm = other.gemm(), .shards = 2, .own_shard = 1});
    INFO(order);
    REQUIRE(other.c.values == first.c.values);
  }
}

TEST_CASE("flagged gemm says which rows of C are done, own shard last when asked to") {
  Product product(2, 256, 64, 200);
  product.a = product.whole;
  RowFlags done(512);
  bool early = false;
  std::jthread consumer([&] {
    done.wait(256, 257, Deadline::after(std::chrono::minutes(5)));  // own shard is 1
    early = !done.are_set(0, 256);
    done.wait(0, 512, Deadline::after(std::chrono::minutes(5)));
  });
  flagged_gemm_compute({.order = "own_last"},
                       {.gemm = product.gemm(), .shards = 2, .own_shard = 1, .sets = &done});
  consumer.join();
  REQUIRE_FALSE(early);
  REQUIRE(done.are_set(0, 512));
  REQUIRE(product.error() < tolerance);
}

TEST_CASE(
    "flagged gemm whose rows never come throws when its budget is used up, with any order and threads") {
  for (const char* order : {"own_first", "as_arrived"}) {
    for (const int threads : {1, 3}) {
      Product product(2, 64, 16, 8);
      RowFlags arrived(128);
      RowFlags done(128);
      product.bring(arrived, 0, 64);
      INFO(order << " threads " << threads);
      REQUIRE_THROWS_AS(flagged_gemm_compute({.order = order, .threads = threads},
                                             {.gemm = product.gemm(),
                                              .shards = 2,
                                              .waits_for = &arrived,
                                              .sets = &done,
                                              .budget = std::chrono::milliseconds(20)}),
                        WaitFailed);
      REQUIRE(done.are_set(0, 64));
      // Who waits for its rows is told.
      REQUIRE_THROWS_AS(done.wait(64, 65, Deadline::after(std::chrono::minutes(5))), WaitFailed);
    }
  }
}

TEST_CASE("flagged gemm whose producer fails throws at once") {
  Product product(2, 64, 16, 8);
  RowFlags arrived(128);
  arrived.fail();
  for (const char* order : {"own_first", "as_arrived"}) {
    REQUIRE_THROWS_AS(
        flagged_gemm_compute(
            {.order = order},
            {.gemm = product.gemm(), .shards = 2, .waits_for = &arrived, .budget = std::chrono::minutes(5)}),
        WaitFailed);
  }
}

TEST_CASE("flagged gemm with a config or arguments that make no sense leaves C alone") {
  Product product(2, 8, 8, 8);
  product.a = product.whole;
  const Matrix before = product.c;
  const FlaggedGemmArgs args{.gemm = product.gemm(), .shards = 2};
  for (const FlaggedGemmConfig& config :
       {FlaggedGemmConfig{.block_rows = 0}, FlaggedGemmConfig{.nr = 8}, FlaggedGemmConfig{.order = "mine"},
        FlaggedGemmConfig{.threads = 0}}) {
    REQUIRE_THROWS_AS(flagged_gemm_compute(config, args), ConfigRejected);
  }
  FlaggedGemmArgs uneven = args;
  uneven.shards = 3;
  REQUIRE_THROWS_AS(flagged_gemm_compute({}, uneven), InvalidArgument);
  FlaggedGemmArgs outside = args;
  outside.own_shard = 2;
  REQUIRE_THROWS_AS(flagged_gemm_compute({}, outside), InvalidArgument);
  const RowFlags too_few(15);
  FlaggedGemmArgs other_rows = args;
  other_rows.waits_for = &too_few;
  REQUIRE_THROWS_AS(flagged_gemm_compute({}, other_rows), InvalidArgument);
  REQUIRE(std::equal(before.values.begin(), before.values.end(), product.c.values.begin(),
                     [](float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }));
}

TEST_CASE("tunable flagged gemm tries two orders, those that differ for the launch") {
  Product product(2, 8, 8, 8);
  product.a = product.whole;
  RowFlags arrived(16);
  arrived.set(0, 16);
  RowFlags done(16);
  const Options options{.n_warmup = 1, .n_repeat = 1, .search = SearchLevel::off, .log_directory = ""};
  ContextualAutotuner tuner{options};
  tuner.run("orders", [&] {
    flagged_gemm()({.gemm = product.gemm(), .shards = 2, .waits_for = &arrived});
    flagged_gemm()({.gemm = product.gemm(), .shards = 2, .sets = &done});
    flagged_gemm()({.gemm = product.gemm(), .shards = 1});
  });
  const Report report = tuner.report();
  const RegionReport& region = *report.find("orders");
  const auto orders = [&](std::size_t problem) {
    std::set<std::string> tried;
    for (const ConfigReport& config : region.problems.at(problem).configs) {
      if (!config.left_out) {
        tried.insert(config.config.get<std::string>("ORDER"));
      }
    }
    return tried;
  };
  REQUIRE(orders(0) == std::set<std::string>{"own_first", "as_arrived"});
  REQUIRE(orders(1) == std::set<std::string>{"own_first", "own_last"});
  REQUIRE(orders(2) == std::set<std::string>{"own_first"});
}

}  // namespace contextual::kernels::flagged_gemm_test

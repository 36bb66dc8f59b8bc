/// \file
/// What the tuner's communication costs between real ranks, under mpirun: the exchange after a batch, beside
/// plain blocking collectives of the same words in the same run; a gather; making a communicator; and what a
/// rank pays when a deadline expires. `exchange_cost.sh` runs it for several numbers of ranks.
///
/// A time is that of the slowest rank, from the end of a barrier on. The two sides of a comparison take turns
/// within every repetition.

#include "command_line.hpp"
#include "contextual/agreement/exchange.hpp"

#include <contextual/error.hpp>
#include <contextual/mpi.hpp>

#include <mpi.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using contextual::benchmarks::BenchmarkApp;
using Clock = std::chrono::steady_clock;
using contextual::Deadline;
using nlohmann::json;

/// As in Exchange::agree: every field and its complement, the flags, one offer.
constexpr std::size_t header_words =
    2 * contextual::agreement::field_count + contextual::agreement::flag_count + 1;
constexpr std::size_t gathered_bytes = 1024;

struct CommandLine {
  int repetitions = 2000;
  int setups = 20;
  int expiries = 5;
  int deadline_ms = 100;
  bool json = false;
};

struct Quantiles {
  double median_us = 0;
  double p99_us = 0;
};

struct Comparison {
  Quantiles ours;
  Quantiles plain;
};

double microseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

/// Collective: of the slowest rank's times. Valid on rank 0.
Quantiles slowest(const std::vector<double>& own_us, MPI_Comm communicator) {
  std::vector<double> all(own_us.size());
  MPI_Allreduce(own_us.data(), all.data(), static_cast<int>(all.size()), MPI_DOUBLE, MPI_MAX, communicator);
  std::sort(all.begin(), all.end());
  const auto at = [&](double q) {
    return all[static_cast<std::size_t>(q * static_cast<double>(all.size() - 1) + 0.5)];
  };
  return {at(0.5), at(0.99)};
}

double timed(MPI_Comm communicator, const std::function<void()>& operation) {
  MPI_Barrier(communicator);
  const auto begin = Clock::now();
  operation();
  return microseconds(Clock::now() - begin);
}

Comparison compare(int repetitions, MPI_Comm communicator, const std::function<void()>& ours,
                   const std::function<void()>& plain) {
  std::vector<double> our_times;
  std::vector<double> plain_times;
  for (int i = -std::min(100, repetitions); i < repetitions; ++i) {  // negative: warm-up
    double our_time = 0;
    double plain_time = 0;
    if (i % 2 == 0) {
      our_time = timed(communicator, ours);
      plain_time = timed(communicator, plain);
    } else {
      plain_time = timed(communicator, plain);
      our_time = timed(communicator, ours);
    }
    if (i >= 0) {
      our_times.push_back(our_time);
      plain_times.push_back(plain_time);
    }
  }
  return {slowest(our_times, communicator), slowest(plain_times, communicator)};
}

/// The header, then `payload_words`; 0: the header alone.
Comparison exchange(const CommandLine& command_line, contextual::Communicator& tuner, MPI_Comm plain,
                    std::size_t payload_words) {
  std::vector<std::int64_t> header(header_words, 1);
  std::vector<std::int64_t> payload(payload_words, 1);
  const auto reduce = [&](std::vector<std::int64_t>& words) {
    MPI_Allreduce(MPI_IN_PLACE, words.data(), static_cast<int>(words.size()), MPI_INT64_T, MPI_MAX, plain);
  };
  return compare(
      command_line.repetitions, plain,
      [&] {
        tuner.all_reduce_max(header, Deadline::after(std::chrono::minutes(1)));
        if (payload_words > 0) {
          tuner.all_reduce_max(payload, Deadline::after(std::chrono::minutes(1)));
        }
      },
      [&] {
        reduce(header);
        if (payload_words > 0) {
          reduce(payload);
        }
      });
}

Comparison gather(const CommandLine& command_line, contextual::Communicator& tuner, MPI_Comm plain) {
  const std::string bytes(gathered_bytes, 'x');
  std::string all(gathered_bytes * static_cast<std::size_t>(tuner.size()), '\0');
  return compare(
      command_line.repetitions, plain,
      [&] { tuner.all_gather(bytes, Deadline::after(std::chrono::minutes(1))); },
      [&] {
        MPI_Allgather(bytes.data(), static_cast<int>(gathered_bytes), MPI_CHAR, all.data(),
                      static_cast<int>(gathered_bytes), MPI_CHAR, plain);
      });
}

Quantiles set_up(const CommandLine& command_line, MPI_Comm plain) {
  std::vector<double> times;
  for (int i = 0; i < command_line.setups; ++i) {
    std::shared_ptr<contextual::Communicator> made;
    times.push_back(timed(plain, [&] { made = contextual::mpi_communicator(plain); }));
    MPI_Barrier(plain);
  }
  return slowest(times, plain);
}

/// From the deadline to the exception, in us, on ranks that wait in vain for the last one; 0 on the last one.
/// It arrives `late` after the deadline, and answers; or not at all, when `late` is zero.
double expire(const CommandLine& command_line, MPI_Comm plain, std::chrono::milliseconds late) {
  const contextual::MpiOptions options;
  const auto communicator = contextual::mpi_communicator(plain, options);
  const std::chrono::milliseconds deadline(command_line.deadline_ms);
  const bool absent = communicator->rank() == communicator->size() - 1;
  std::vector<std::int64_t> words(header_words, 1);
  MPI_Barrier(plain);
  const auto begin = Clock::now();
  double excess_us = 0;
  if (absent) {
    std::this_thread::sleep_for(deadline + late);
  }
  if (!absent || late.count() > 0) {
    try {
      communicator->all_reduce_max(words, Deadline::after(deadline));
      std::fprintf(stderr, "exchange_cost: a collective completed that must expire\n");
      MPI_Abort(MPI_COMM_WORLD, 1);
    } catch (const contextual::CommunicationError&) {
      excess_us = absent ? 0 : microseconds(Clock::now() - begin - deadline);
    }
  }
  std::this_thread::sleep_until(begin + deadline + late + 2 * options.roll_call);
  return excess_us;
}

Quantiles expiries(const CommandLine& command_line, MPI_Comm plain, std::chrono::milliseconds late) {
  std::vector<double> times;
  for (int i = 0; i < command_line.expiries; ++i) {
    times.push_back(expire(command_line, plain, late));
  }
  return slowest(times, plain);
}

int node_count(MPI_Comm plain) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(plain, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int rank_in_node = 0;
  MPI_Comm_rank(node, &rank_in_node);
  MPI_Comm_free(&node);
  int first = rank_in_node == 0 ? 1 : 0;
  int nodes = 0;
  MPI_Allreduce(&first, &nodes, 1, MPI_INT, MPI_SUM, plain);
  return nodes;
}

/// Prints on rank 0 alone.
class Table {
 public:
  Table(bool as_json, int ranks, int nodes, bool prints) : as_json_(as_json), prints_(prints) {
    std::string library(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
    int length = 0;
    MPI_Get_library_version(library.data(), &length);
    library = library.substr(0, library.find_first_of(",\n"));
    all_ = {{"ranks", ranks},
            {"nodes", nodes},
            {"mpi", library},
            {"header_words", header_words},
            {"rows", json::array()}};
    if (prints_ && !as_json_) {
      std::printf("%d ranks on %d node(s), %s, us\n", ranks, nodes, library.c_str());
      std::printf("%-34s %7s %9s %9s %9s %9s %6s\n", "", "words", "median", "p99", "plain", "p99", "ratio");
    }
  }

  void comparison(const std::string& name, std::size_t words, const Comparison& c) {
    const double ratio = c.ours.median_us / c.plain.median_us;
    all_["rows"].push_back({{"name", name},
                            {"words", words},
                            {"median_us", c.ours.median_us},
                            {"p99_us", c.ours.p99_us},
                            {"plain_median_us", c.plain.median_us},
                            {"plain_p99_us", c.plain.p99_us},
                            {"ratio", ratio}});
    if (prints_ && !as_json_) {
      std::printf("%-34s %7zu %9.1f %9.1f %9.1f %9.1f %6.2f\n", name.c_str(), words, c.ours.median_us,
                  c.ours.p99_us, c.plain.median_us, c.plain.p99_us, ratio);
    }
  }

  void single(const std::string& name, const Quantiles& q) {
    all_["rows"].push_back({{"name", name}, {"median_us", q.median_us}, {"p99_us", q.p99_us}});
    if (prints_ && !as_json_) {
      std::printf("%-34s %7s %9.1f %9.1f\n", name.c_str(), "", q.median_us, q.p99_us);
    }
  }

  ~Table() {
    if (prints_) {
      std::printf("%s\n", as_json_ ? all_.dump().c_str() : "");
      std::fflush(stdout);
    }
  }

 private:
  bool as_json_;
  bool prints_;
  json all_;
};

void measure(const CommandLine& command_line) {
  MPI_Comm plain = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &plain);
  const auto tuner = contextual::mpi_communicator(MPI_COMM_WORLD);
  Table table(command_line.json, tuner->size(), node_count(plain), tuner->rank() == 0);
  table.comparison("header alone", header_words, exchange(command_line, *tuner, plain, 0));
  constexpr std::size_t iterations = 8;  // a batch of the default options: 3 warm-ups, 5 repeats
  for (const std::size_t problems : {std::size_t{1}, std::size_t{4}, std::size_t{64}, std::size_t{1024}}) {
    const std::size_t length = problems == 1 ? 1 : iterations;
    const std::size_t words = (problems + 1) * length;
    table.comparison("problems x iterations: " + std::to_string(problems) + " x " + std::to_string(length),
                     header_words + words, exchange(command_line, *tuner, plain, words));
  }
  table.comparison("gather of 1 KiB a rank", gathered_bytes / sizeof(std::int64_t),
                   gather(command_line, *tuner, plain));
  table.single("make a communicator", set_up(command_line, plain));
  if (tuner->size() > 1 && command_line.expiries > 0) {
    constexpr std::chrono::milliseconds late(5);
    table.single("expiry, a rank is 5 ms late", expiries(command_line, plain, late));
    table.single("expiry, a rank is missing", expiries(command_line, plain, std::chrono::milliseconds(0)));
  }
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine command_line;
  BenchmarkApp app{"Cost of the tuner's communication between MPI ranks; run it under mpirun"};
  app.add_option("--repetitions", command_line.repetitions, "of each collective")
      ->check(CLI::Range(1, 10'000'000));
  app.add_option("--setups", command_line.setups, "communicators to make")->check(CLI::Range(1, 10'000));
  app.add_option("--expiries", command_line.expiries, "deadlines to let expire, in each of two ways; 0: none")
      ->check(CLI::Range(0, 1000));
  app.add_option("--deadline-ms", command_line.deadline_ms, "deadline that expires")
      ->check(CLI::Range(1, 60'000));
  app.add_flag("--json", command_line.json, "one JSON object instead of a table");
  CLI11_PARSE(app, argc, argv);
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  measure(command_line);
  MPI_Finalize();
  return 0;
}

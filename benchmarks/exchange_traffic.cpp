/// \file
/// Messages and bytes of whole tuning runs against the number of ranks, 1 to 1024, simulated as threads: a
/// region of 4 kernels with 8 configs each and default options, when all goes well and when it does not.
/// Counted are collectives, words and gathered bytes; messages of a rank are computed from them for common
/// algorithms. Measured are memory, logs, and the time to parse what a gather brings to every rank.

#include "command_line.hpp"
#include "exchange_traffic_region.hpp"
#include "simulated_kernels.hpp"
#include "temporary_directory.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace contextual::benchmarks;
using nlohmann::json;
using traffic::Case;
using traffic::ends_well;
using traffic::name_of;
using traffic::Region;

/// Passes everything on and keeps what this rank gave to the largest gather.
class Listening final : public contextual::Communicator {
 public:
  explicit Listening(std::shared_ptr<contextual::Communicator> inner) : inner_(std::move(inner)) {}

  int rank() const noexcept override { return inner_->rank(); }
  int size() const noexcept override { return inner_->size(); }
  void all_reduce_max(std::span<std::int64_t> values, contextual::Deadline deadline) override {
    inner_->all_reduce_max(values, std::move(deadline));
  }
  std::vector<std::string> all_gather(std::string_view bytes, contextual::Deadline deadline) override {
    if (bytes.size() > largest_.size()) {
      largest_ = bytes;
    }
    return inner_->all_gather(bytes, std::move(deadline));
  }
  std::string describe() const override { return inner_->describe(); }
  std::string_view process_scope() const noexcept override { return inner_->process_scope(); }
  const std::string& largest() const { return largest_; }

 private:
  std::shared_ptr<contextual::Communicator> inner_;
  std::string largest_;
};

struct Result {
  contextual::testing::ScriptedTraffic traffic;
  RunCost cost;
  std::string largest;  ///< the longest text that a rank gave to a gather
};

Result run(Case what, int ranks, const std::filesystem::path& logs) {
  Region region(what, ranks);
  contextual::testing::ScriptedWorld world(ranks);
  std::vector<std::shared_ptr<Listening>> listening;
  listening.reserve(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    listening.push_back(std::make_shared<Listening>(world.communicator(rank)));
  }
  const contextual::Options options{.max_iterations = 1'000'000,
                                    .log_directory = logs,
                                    .timer = contextual::testing::scripted_timer(time_by_number)};
  Result result;
  result.cost = tune_on_ranks(world, options,
                              [&](contextual::ContextualAutotuner& tuner, int rank, std::int64_t& runs) {
                                try {
                                  tuner.run("traffic", [&] { region(rank, runs++); },
                                            {.communicator = listening[static_cast<std::size_t>(rank)]});
                                } catch (...) {
                                  if (ends_well(what)) {
                                    throw;
                                  }
                                }
                              });
  result.traffic = world.traffic();
  for (const auto& one : listening) {
    if (one->largest().size() > result.largest.size()) {
      result.largest = one->largest();
    }
  }
  return result;
}

/// What one rank does with a gather of `ranks` such texts.
double parse_ms(const std::string& text, int ranks) {
  std::size_t parsed = 0;
  const double ms = elapsed<std::milli>([&] {
    for (int rank = 0; rank < ranks; ++rank) {
      parsed += json::parse(text, nullptr, false).size();
    }
  });
  return parsed > 0 || text.size() <= 2 ? ms : -1;
}

json row_of(Case what, int ranks, const Result& result) {
  const auto& traffic = result.traffic;
  const std::int64_t gathers = traffic.collectives - traffic.reduces;
  const std::int64_t rounds = std::bit_width(static_cast<unsigned>(ranks - 1));  // log2, rounded up
  return {{"case", name_of(what)},
          {"ranks", ranks},
          {"region_runs", result.cost.runs},
          {"reduces", traffic.reduces},
          {"reduced_words", traffic.reduced_words},
          {"gathers", gathers},
          {"gathered_bytes", traffic.gathered_bytes},
          {"largest_text_bytes", result.largest.size()},
          // A reduce by recursive doubling: a message a round, all words in each. A gather: the lengths, then
          // the texts, to every other rank.
          {"messages_a_rank", traffic.reduces * rounds + 2 * gathers * (ranks - 1)},
          {"sent_bytes_a_rank",
           8 * traffic.reduced_words * rounds + (8 * gathers + traffic.gathered_bytes / ranks) * (ranks - 1)},
          {"parse_ms", gathers > 0 ? parse_ms(result.largest, ranks) : 0.0},
          {"heap_bytes_a_rank", result.cost.bytes / static_cast<std::size_t>(ranks)},
          {"wall_seconds", result.cost.seconds}};
}

void print(const json& row) {
  std::printf("%-31s %5d %5lld %7lld %8lld %7lld %10lld %8lld %9lld %11lld %8.2f %9.1f %7.2f\n",
              row["case"].get<std::string>().c_str(), row["ranks"].get<int>(),
              row["region_runs"].get<long long>(), row["reduces"].get<long long>(),
              row["reduced_words"].get<long long>(), row["gathers"].get<long long>(),
              row["gathered_bytes"].get<long long>(), row["largest_text_bytes"].get<long long>(),
              row["messages_a_rank"].get<long long>(), row["sent_bytes_a_rank"].get<long long>(),
              row["parse_ms"].get<double>(), row["heap_bytes_a_rank"].get<double>() / 1024,
              row["wall_seconds"].get<double>());
  std::fflush(stdout);
}

/// What a good run writes, of one rank.
struct Logs {
  std::uintmax_t bytes = 0;
  std::int64_t lines = 0;
};

Logs logs_a_rank() {
  const TemporaryDirectory folder;
  run(Case::good, 2, folder.path());
  Logs logs;
  for (const char* name : {"rank-0.log", "rank-0.jsonl"}) {
    logs.bytes += std::filesystem::file_size(folder.path() / name);
    std::ifstream file(folder.path() / name);
    logs.lines += std::count(std::istreambuf_iterator<char>(file), {}, '\n');
  }
  return logs;
}

/// The largest number of ranks that a case is run with. Where every rank adds a problem, a run takes time and
/// memory with the third power of their number.
int limit_of(Case what) {
  return what == Case::own_keys ? 64 : 1024;
}

int measure(const std::vector<int>& rank_counts, bool as_json) {
  use_one_arena();
  if (!as_json) {
    std::printf("%-31s %5s %5s %7s %8s %7s %10s %8s %9s %11s %8s %9s %7s\n", "", "ranks", "runs", "reduces",
                "words", "gathers", "gathered B", "text B", "msgs/rank", "sent B/rank", "parse ms",
                "KiB/rank", "wall s");
  }
  for (const Case what : {Case::good, Case::load, Case::rejection, Case::some, Case::own_keys, Case::throws,
                          Case::mismatch, Case::late_mismatch}) {
    for (const int ranks : rank_counts) {
      if (ranks <= limit_of(what) && (ranks > 1 || what == Case::good)) {
        const json row = row_of(what, ranks, run(what, ranks, {}));
        as_json ? static_cast<void>(std::printf("%s\n", row.dump().c_str())) : print(row);
      }
    }
  }
  const Logs logs = logs_a_rank();
  if (as_json) {
    std::printf("%s\n",
                json{{"log_bytes_a_rank", logs.bytes}, {"log_lines_a_rank", logs.lines}}.dump().c_str());
  } else {
    std::printf("log files of a good run: %ju bytes in %lld lines a rank\n", logs.bytes,
                static_cast<long long>(logs.lines));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> rank_counts{1, 2, 4, 16, 64, 256, 1024};
  bool as_json = false;
  BenchmarkApp app{"Messages and bytes of tuning runs against the number of simulated ranks"};
  app.add_option("--ranks", rank_counts, "numbers of ranks")->delimiter(',')->check(CLI::Range(1, 4096));
  app.add_flag("--json", as_json, "a JSON object a row instead of a table");
  return run_program(app, argc, argv, [&] { return measure(rank_counts, as_json); });
}

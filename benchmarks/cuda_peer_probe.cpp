/// \file
/// What two GPUs that reach each other's memory can do, as a base for regions that overlap communication with
/// computation. One process; each part can run alone:
/// - push: bandwidth to the peer by the number of multiprocessors that push, and of the copy engines, in one
///   direction and in both at once;
/// - flags: how long a flag takes there and back between two spinning kernels, also behind a payload;
/// - words: what a word costs that a stream writes or waits for;
/// - memory: bandwidth of one device's own memory;
/// - gemm: the own GEMM beside cuBLASLt, on one device.
///
/// Each figure is the median of some repeats. With one GPU the first two parts are left out, and what words
/// cost between two devices.

#include "cuda_peer_probe.hpp"

#include "cuda_common.hpp"
#include "cuda_peer_probe_devices.hpp"
#include "cuda_stream_words.hpp"
#include "kernels/cuda/gemm_tensor_map.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace contextual;
using namespace contextual::benchmarks;
using nlohmann::json;
using probe::Pair;
using probe::pieces;
using probe::pushed_bytes;
using probe::Side;
using probe::use;

struct Settings {
  std::vector<std::string> parts{"push", "flags", "words", "memory", "gemm"};
  std::vector<std::string> shapes{"6144x5120x3584", "16384x2048x2048"};
  int repeats = 7;
  int gemm_rounds = 21;
  std::string json;
};

// A matrix of 2-byte values that is hardly smaller.
constexpr int pushed_rows = 26'112;
constexpr int pushed_columns = 5'120;
constexpr int most_payload_bytes = 32 * 1024;

using Push = std::function<void(Pair::Half& from, Pair::Half& to)>;

/// In one direction, or the slower one of both.
double push_us(Pair& pair, bool both, int repeats, const Push& push) {
  return median(samples_of(repeats, [&] {
    for (int device = both ? 1 : 0; device >= 0; --device) {
      pair[device].side.launch([&] { push(pair[device], pair[1 - device]); });
    }
    double longest = 0;
    for (int device = both ? 1 : 0; device >= 0; --device) {
      longest = std::max(longest, pair[device].side.us());
    }
    return longest;
  }));
}

struct PushKind {
  std::string name;
  std::size_t bytes;
  std::function<void(Pair::Half& from, Pair::Half& to, int blocks)> push;
};

PushKind bulk_pushes(int bytes) {
  return {"bulk " + std::to_string(bytes / 1024) + " KiB", pushed_bytes,
          [bytes](Pair::Half& from, Pair::Half& to, int blocks) {
            probe::push_by_bulk(from.side.stream(), blocks, bytes, to.received.get(), pushed_bytes);
          }};
}

PushKind box_pushes(int box_rows) {
  return {"boxes " + std::to_string(box_rows) + " x 64", 2 * element_count(pushed_rows, pushed_columns),
          [box_rows](Pair::Half& from, Pair::Half& to, int blocks) {
            const CUtensorMap map =
                kernels::cuda::tensor_map({to.received.get(), pushed_rows, pushed_columns, true}, box_rows);
            probe::push_by_boxes(from.side.stream(), blocks, box_rows, map, pushed_rows, pushed_columns);
          }};
}

void measure_push(Pair& pair, const Settings& settings, json& rows) {
  const int all = std::min(pair[0].side.multiprocessors(), pair[1].side.multiprocessors());
  const std::vector<PushKind> kinds{
      bulk_pushes(16 * 1024),
      bulk_pushes(32 * 1024),
      box_pushes(128),
      box_pushes(64),
      {"stores", pushed_bytes, [](Pair::Half& from, Pair::Half& to, int blocks) {
         probe::push_by_stores(from.side.stream(), blocks, to.received.get(), pushed_bytes);
       }}};
  for (const bool both : {false, true}) {
    const auto add = [&](const std::string& what, int blocks, std::size_t bytes, const Push& push) {
      const double gb_per_s = static_cast<double>(bytes) / 1e3 / push_us(pair, both, settings.repeats, push);
      rows.push_back({{"part", "push"},
                      {"what", what},
                      {"multiprocessors", blocks},
                      {"both_directions", both},
                      {"gb_per_s", gb_per_s}});
      return gb_per_s;
    };
    std::printf("\nto the peer, GB/s a direction, %s\n%-16s", both ? "both at once" : "one alone",
                "multiprocessors");
    for (const PushKind& kind : kinds) {
      std::printf(" %14s", kind.name.c_str());
    }
    std::printf("\n");
    for (const int blocks : {1, 2, 4, 8, 16, 24, 32, 64, all}) {
      std::printf("%-16d", blocks);
      for (const PushKind& kind : kinds) {
        std::printf(" %14.1f", add(kind.name, blocks, kind.bytes,
                                   [&](Pair::Half& from, Pair::Half& to) { kind.push(from, to, blocks); }));
      }
      std::printf("\n");
    }
    for (const int count : {1, pieces}) {
      const std::string what = "copy engine, " + std::to_string(count) + (count > 1 ? " pieces" : " piece");
      const double gb_per_s = add(what, 0, pushed_bytes, [&](Pair::Half& from, Pair::Half& to) {
        const std::size_t bytes = pushed_bytes / static_cast<std::size_t>(count);
        for (std::size_t first = 0; first < pushed_bytes; first += bytes) {
          CONTEXTUAL_CHECKED(cudaMemcpyPeerAsync(to.received.get() + first, to.side.device(),
                                                 from.received.get() + first, from.side.device(), bytes,
                                                 from.side.stream()));
        }
      });
      std::printf("%-31s %14.1f\n", what.c_str(), gb_per_s);
    }
    std::fflush(stdout);
  }
}

/// us for a flag there and back, each time behind the payload; nothing if a kernel gave up.
double round_trip_us(Pair& pair, int payload_bytes, unsigned first_value) {
  constexpr int rounds = 1000;
  constexpr std::uint64_t budget_ns = 2'000'000'000;
  for (const int device : {1, 0}) {
    Pair::Half& own = pair[device];
    Pair::Half& peer = pair[1 - device];
    const probe::PingPong side{.begins = device == 0,
                               .own_flag = own.words.get(),
                               .peer_flag = peer.words.get(),
                               .peer_buffer = peer.received.get(),
                               .payload_bytes = payload_bytes,
                               .first_value = first_value,
                               .untimed_rounds = 100,
                               .rounds = rounds,
                               .budget_ns = budget_ns,
                               .took_ns = own.took_ns.get()};
    own.side.launch([&] { probe::play(own.side.stream(), side); });
  }
  for (const int device : {0, 1}) {
    pair[device].side.us();
  }
  use(0);
  const std::uint64_t took_ns = pair[0].took_ns.download()[0];
  if (took_ns == ~std::uint64_t{0}) {
    throw std::runtime_error("a flag did not come back within the budget");
  }
  return static_cast<double>(took_ns) / 1e3 / rounds;
}

void measure_flags(Pair& pair, const Settings& settings, json& rows) {
  std::printf(
      "\na flag to the peer and back, us, each way behind a bulk copy of so many bytes to the peer\n");
  unsigned value = 1;
  for (const int payload_bytes : {0, 1024, 8 * 1024, 16 * 1024, most_payload_bytes}) {
    const double us = median(samples_of(settings.repeats, [&] {
      const double took_us = round_trip_us(pair, payload_bytes, value);
      value += 10'000;
      return took_us;
    }));
    std::printf("%8d bytes %10.2f\n", payload_bytes, us);
    rows.push_back({{"part", "flags"}, {"payload_bytes", payload_bytes}, {"round_trip_us", us}});
  }
  std::fflush(stdout);
}

/// What words cost that streams write and wait for.
class Words {
 public:
  Words(const Settings& settings, json& rows) : settings_(settings), rows_(rows) {
    std::printf("\nwords that streams write and wait for, us\n");
  }

  void measure_device() {
    const Side one(0);
    const Side other(0);
    const Buffer<unsigned> words(64);
    unsigned* const first = words.get();
    unsigned* const second = words.get() + 32;
    add("nothing between two events", one, 1, [] {});
    add("a write, one stream", one, count, [&] {
      for (int i = 0; i < count; ++i) {
        write_word(one.stream(), first, ++value_);
      }
    });
    add("a wait that is over, one stream", one, count, [&] {
      for (int i = 0; i < count; ++i) {
        wait_for_word(one.stream(), first, value_);
      }
    });
    add("an operation of write, wait, ... on one stream", one, 2 * count, [&] {
      for (int i = 0; i < count; ++i) {
        write_word(one.stream(), first, ++value_);
        wait_for_word(one.stream(), first, value_);
      }
    });
    add_round_trip("there and back, two streams of a device", one, other, first, second);
  }

  void measure_devices(Pair& pair) {
    add_round_trip("there and back, streams of two devices", pair[0].side, pair[1].side,
                   pair[0].words.get() + 32, pair[1].words.get() + 32);
  }

 private:
  static constexpr int count = 100;

  /// In this order nothing waits for what comes later, also if streams share a queue of the device.
  void add_round_trip(const char* what, const Side& one, const Side& other, unsigned* own_word,
                      unsigned* other_word) {
    add(what, one, count, [&, own_word, other_word] {
      for (int i = 0; i < count; ++i) {
        ++value_;
        use(one.device());
        write_word(one.stream(), other_word, value_);
        use(other.device());
        wait_for_word(other.stream(), other_word, value_);
        write_word(other.stream(), own_word, value_);
        use(one.device());
        wait_for_word(one.stream(), own_word, value_);
      }
    });
  }

  /// us for one of `parts` equal parts of what is launched.
  void add(const char* what, const Side& side, int parts, const std::function<void()>& launch) {
    constexpr std::uint64_t hold_ns = 20'000'000;
    bool late = false;  // the device began before the host had launched everything
    std::vector<double> us;
    for (int repeat = -1; repeat < settings_.repeats; ++repeat) {
      side.launch(launch, hold_ns);
      late = late || (side.has_begun() && repeat >= 0);
      const double took_us = side.us();
      if (repeat >= 0) {
        us.push_back(took_us / parts);
      }
    }
    std::printf("%-48s %8.2f%s\n", what, median(us), late ? "  the host was late" : "");
    std::fflush(stdout);
    rows_.push_back({{"part", "words"}, {"what", what}, {"us", median(us)}, {"host_was_late", late}});
  }

  const Settings& settings_;
  json& rows_;
  unsigned value_ = 0;
};

void measure_memory(const Settings& settings, json& rows) {
  constexpr std::size_t bytes = std::size_t{4} << 30;
  const Side side(0);
  const Buffer<std::byte> from(bytes);
  const Buffer<std::byte> to(bytes);
  const Buffer<unsigned> sink(1);
  const auto add = [&](const char* what, std::size_t moved, const std::function<void()>& work) {
    const double us = median(samples_of(settings.repeats, [&] {
      side.launch(work);
      return side.us();
    }));
    const double gb_per_s = static_cast<double>(moved) / 1e3 / us;
    std::printf("%-20s %10.1f\n", what, gb_per_s);
    rows.push_back({{"part", "memory"}, {"what", what}, {"gb_per_s", gb_per_s}});
  };
  std::printf("\nthe device's memory, GB/s; a copy reads and writes\n");
  const int all = side.multiprocessors();
  add("read", bytes, [&] { probe::read_all(side.stream(), all, from.get(), bytes, sink.get()); });
  add("write", bytes, [&] { probe::write_all(side.stream(), all, to.get(), bytes); });
  add("copy", 2 * bytes, [&] { probe::copy_all(side.stream(), all, to.get(), from.get(), bytes); });
  add("cudaMemcpyAsync", 2 * bytes, [&] {
    CONTEXTUAL_CHECKED(cudaMemcpyAsync(to.get(), from.get(), bytes, cudaMemcpyDeviceToDevice, side.stream()));
  });
  std::fflush(stdout);
}

class Program {
 public:
  explicit Program(const Settings& settings) : settings_(settings) {
    if (Pair::is_possible()) {
      pair_ = std::make_unique<Pair>();
    } else {
      std::printf("no two GPUs that reach each other's memory: what needs them is left out\n");
    }
  }

  int run() {
    part("push", pair_ != nullptr, [&] { measure_push(*pair_, settings_, rows_); });
    part("flags", pair_ != nullptr, [&] { measure_flags(*pair_, settings_, rows_); });
    part("words", true, [&] {
      Words words(settings_, rows_);
      words.measure_device();
      if (pair_) {
        words.measure_devices(*pair_);
      }
    });
    part("memory", true, [&] { measure_memory(settings_, rows_); });
    part("gemm", true, [&] {
      const json gemm = probe::measure_gemm(settings_.shapes, settings_.gemm_rounds);
      rows_.insert(rows_.end(), gemm.begin(), gemm.end());
    });
    return failed_ ? 1 : 0;
  }

 private:
  /// A part that fails does not keep the others from their turn.
  void part(const char* name, bool possible, const std::function<void()>& measure) {
    const bool wanted =
        std::find(settings_.parts.begin(), settings_.parts.end(), name) != settings_.parts.end();
    if (!wanted || !possible) {
      return;
    }
    try {
      use(0);
      measure();
      use(0);
    } catch (const std::exception& error) {
      std::fflush(stdout);
      std::fprintf(stderr, "failed: %s: %s\n", name, error.what());
      failed_ = true;
    }
    write_figures(settings_.json, rows_);
  }

  const Settings& settings_;
  std::unique_ptr<Pair> pair_;
  json rows_ = json::array();
  bool failed_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  BenchmarkApp app{"What two GPUs that reach each other's memory can do"};
  app.add_option("--parts", settings.parts, "of push, flags, words, memory, gemm")
      ->delimiter(',')
      ->check(CLI::IsMember({"push", "flags", "words", "memory", "gemm"}));
  app.add_option("--shapes", settings.shapes, "of the GEMM, MxNxK, ...")->delimiter(',');
  app.add_option("--repeats", settings.repeats, "of each figure")->check(CLI::Range(1, 1000));
  app.add_option("--gemm-rounds", settings.gemm_rounds, "turns of each GEMM")->check(CLI::Range(1, 1000));
  app.add_option("--json", settings.json, "file for the figures");
  return run_on_gpu(app, argc, argv, [&] { return Program(settings).run(); });
}

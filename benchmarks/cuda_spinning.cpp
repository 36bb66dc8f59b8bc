/// \file
/// A consumer that spins on a flag is launched before the producer that sets it, on two streams, and no
/// config of either has been compiled or loaded: the region is tuned without a dead-lock, with every result
/// right.
///
/// Where code is loaded by a first launch beside a kernel that spins, the loading waits for the spinning
/// kernel, and that for the producer. Each round makes new kernels from a source of its own, so that nothing
/// is loaded and no cubin is found; some rounds are processes of their own. A consumer spins 2 s at most, and
/// says so.

#include "cuda_common.hpp"

#include <contextual/autotuner.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace contextual;
using namespace contextual::benchmarks;
using Clock = std::chrono::steady_clock;

constexpr const char* wait_source =
#include "embedded/cuda_wait.cu.inc"
    ;
constexpr unsigned long long budget_ns = 2'000'000'000;

using Consumer = CudaKernel<VariantConfig, int*, const int*, const int*, int, unsigned long long>;
using Producer = CudaKernel<VariantConfig, int*, int*, int>;

/// Both kernels: one thread, configs that differ in nothing but their code.
template <typename Kernel>
typename Kernel::Definition definition(const char* function, long round) {
  typename Kernel::Definition definition;
  definition.source = CudaSource::text("cuda_wait.cu", wait_source);
  definition.variant = [function, round](const VariantConfig& config) {
    CudaVariant variant = variant_of(function, config);
    variant.defines.emplace_back("ROUND", std::to_string(round));
    return variant;
  };
  definition.layout = [](const VariantConfig&, const auto&...) { return CudaLayout{}; };
  return definition;
}

struct Outcome {
  long runs = 0;
  long in_vain = 0;  ///< a consumer gave up
  long wrong = 0;
};

class Round {
 public:
  Round(long number, int configs)
      : consumer_("consumer " + std::to_string(number), variants(configs), single_problem,
                  definition<Consumer>("consume", number)),
        producer_("producer " + std::to_string(number), variants(configs), single_problem,
                  definition<Producer>("produce", number)),
        words_(4) {}

  Outcome tune() {
    Outcome outcome;
    Options options;
    options.log_directory = "";
    options.timer = cuda_timer;
    options.after_iteration = [&](const IterationInfo&) { look(outcome); };
    ContextualAutotuner tuner(options);
    tuner.run("consumer before producer", [&] {
      ++epoch_;
      int* const words = words_.get();
      consumer_(consuming_, words, words + 2, words + 3, epoch_, budget_ns);
      producer_(producing_, words + 3, words + 2, epoch_);
    });
    return outcome;
  }

 private:
  void look(Outcome& outcome) const {
    consuming_.wait();
    producing_.wait();
    const std::vector<int> out = words_.download(0, 2);
    ++outcome.runs;
    if (out[1] == -1) {
      ++outcome.in_vain;
    } else if (out[0] != 7 * epoch_ + 1 || out[1] != epoch_) {
      ++outcome.wrong;
    }
  }

  Consumer consumer_;
  Producer producer_;
  Stream consuming_;
  Stream producing_;
  Buffer<int> words_;  ///< result, its epoch, flag, value
  int epoch_ = 0;
};

/// One round in a process of its own; its exit code. It says what failed on stderr.
int run_process(long number, int configs) {
  std::vector<std::string> words{"cuda_spinning",
                                 "--rounds",
                                 "1",
                                 "--processes",
                                 "0",
                                 "--configs",
                                 std::to_string(configs),
                                 "--first",
                                 std::to_string(number),
                                 "--quiet"};
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t quiet{};
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  if (posix_spawn(&child, "/proc/self/exe", &quiet, nullptr, arguments.data(), environ) != 0) {
    throw std::runtime_error("no process could be started");
  }
  posix_spawn_file_actions_destroy(&quiet);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

int main(int argc, char** argv) {
  BenchmarkApp app{"A spinning consumer launched before its producer, no config of either loaded, is tuned"};
  int rounds = 100;
  int processes = 10;
  int configs = 3;
  long first = 0;
  bool quiet = false;
  app.add_option("--rounds", rounds, "tunings in this process, each with new kernels");
  app.add_option("--processes", processes, "tunings in processes of their own");
  app.add_option("--configs", configs, "of each kernel")->check(CLI::Range(1, 64));
  app.add_option("--first", first, "number of the first round");
  app.add_flag("--quiet", quiet, "print failures only");
  const auto body = [&] {
    const TemporaryCache cache;
    Outcome all;
    int good = 0;
    const auto begin = Clock::now();
    for (int i = 0; i < rounds; ++i) {
      const Outcome outcome = Round(first + i, configs).tune();
      good += outcome.in_vain + outcome.wrong == 0 ? 1 : 0;
      all.runs += outcome.runs;
      all.in_vain += outcome.in_vain;
      all.wrong += outcome.wrong;
    }
    if (!quiet) {
      std::printf(
          "%d of %d tunings in one process were right: %ld region runs, %ld waited in vain, %ld wrong; "
          "%.1f s\n",
          good, rounds, all.runs, all.in_vain, all.wrong, seconds_since(begin));
    }
    int good_processes = 0;
    const auto begin_processes = Clock::now();
    for (int i = 0; i < processes; ++i) {
      const int code = run_process(first + rounds + i, configs);
      good_processes += code == 0 ? 1 : 0;
    }
    if (!quiet) {
      std::printf("%d of %d tunings in processes of their own were right; %.1f s\n\n", good_processes,
                  processes, seconds_since(begin_processes));
      goal_at_most("tunings that dead-locked or were wrong", rounds - good + processes - good_processes, 0,
                   "tunings");
    } else if (good < rounds) {
      std::fprintf(stderr, "%ld of %ld region runs waited in vain, %ld were wrong\n", all.in_vain, all.runs,
                   all.wrong);
      return 1;
    }
    return 0;
  };
  return run_on_gpu(app, argc, argv, body);
}

/// \file
/// A program of several ranks that tune a region on GPUs, in which one of them does something wrong.
/// run_region_faults.py starts it and judges what each rank wrote into its result file.
///
/// It tunes the region without fault first (region "healthy-N"), with a workspace that waits long, while code
/// is compiled and loaded. Then, with the wait budget that was asked for, comes the run with the fault
/// (region "fault-N"), and, where the ranks can go on, one more without fault.

#include "gpu/faults/region_under_fault.hpp"
#include "gpu/gpu_rank.hpp"
#include "gpu/region_workspace.hpp"
#include "mpi/faults/command_line.hpp"
#include "mpi/faults/fault_main.hpp"
#include "mpi/faults/injector.hpp"
#include "mpi/faults/outcome.hpp"
#include "mpi/faults/result_file.hpp"

#include <contextual/autotuner.hpp>

#include <unistd.h>

namespace contextual::test::gpu_test {
namespace {

using faults::CommandLine;

/// Nobody is late then but by the machine's other work and the compiler.
constexpr std::chrono::seconds patience{60};
constexpr std::chrono::seconds patient_wait_budget{20};  // the most that a workspace takes
constexpr std::chrono::seconds setup_deadline{20};

/// One rank's program.
class Program {
 public:
  Program(const CommandLine& command_line, std::shared_ptr<Communicator> world)
      : command_line_(command_line),
        world_(std::move(world)),
        results_(command_line.result_directory / ("rank-" + std::to_string(world_->rank()) + ".txt")),
        injector_(world_->rank(), results_) {
    results_.write(
        {{"event", "start"}, {"pid", getpid()}, {"rank", world_->rank()}, {"ranks", world_->size()}});
  }

  /// Returns the exit code.
  int run() {
    if (!can_run()) {
      return 0;
    }
    const Rank rank;
    const auto first = std::to_string(command_line_.first);
    const auto next = std::to_string(command_line_.first + 1);
    if (!tune_without_fault(rank, "healthy-" + first, patient_wait_budget)) {
      return 0;  // skipped
    }
    const auto workspace = make_workspace(rank, command_line_.wait_budget);
    RegionUnderFault region(layer(rank, workspace), injector_, command_line_.hold);
    if (command_line_.fault.kind != "none") {
      injector_.arm(faults::fault_of(command_line_, command_line_.first, rank.count), command_line_.first);
      tune("fault-" + first, region, *workspace, {});
      injector_.disarm();
    }
    tune("healthy-" + next, region, *workspace, {.deadline = patience});
    results_.write({{"event", "end"}});
    return 0;
  }

 private:
  void skip(const std::string& reason) {
    results_.write({{"event", "skipped"}, {"reason", reason}});
    std::printf("skipped: %s\n", reason.c_str());
  }

  /// Another one in each repetition.
  int layer_index() const { return command_line_.first % layers_under_fault; }
  std::unique_ptr<LayerUnderFault> layer(
      const Rank& rank, const std::shared_ptr<kernels::cuda::PeerWorkspace>& workspace) const {
    return make_layer_under_fault(layer_index(), rank, workspace);
  }

  bool can_run() {
    const std::string problem = cuda_problem();
    if (!on_all_ranks(problem.empty())) {
      skip(problem.empty() ? "another rank has no GPU" : problem);
      return false;
    }
    if (world_->size() < 2) {
      skip("a region of one rank waits for nobody");
      return false;
    }
    return true;
  }

  /// Returns null where the ranks cannot use each other's memory. With equal bits, unless the way is given:
  /// what NCCL waits for on the device has no budget.
  std::shared_ptr<kernels::cuda::PeerWorkspace> make_workspace(const Rank& rank,
                                                               std::chrono::nanoseconds budget) const {
    return region_workspace(rank, workspace_bytes_under_fault(rank.count),
                            {.setup_deadline = setup_deadline,
                             .wait_budget = budget,
                             .equal_bits = way_under_fault(layer_index()) == nullptr});
  }

  /// Returns false, and says why, where the region cannot be run.
  bool tune_without_fault(const Rank& rank, const std::string& name, std::chrono::nanoseconds budget) {
    const auto workspace = make_workspace(rank, budget);
    if (workspace == nullptr) {
      skip("the ranks cannot use each other's memory");
      return false;
    }
    make_tuner(rank);
    RegionUnderFault region(layer(rank, workspace), injector_, command_line_.hold);
    tune(name, region, *workspace, {.deadline = patience});
    return true;
  }

  void make_tuner(const Rank& rank) {
    Options options = region_tuning(rank);
    options.communicator = world_;
    options.search_settings.runs = 40;
    options.search_settings.closing_rounds = 2;
    if (const char* const way = way_under_fault(layer_index())) {
      options.feasible = only_way(way);
    }
    options.deadline = command_line_.deadline;
    options.grace = command_line_.grace;
    options.log_directory = command_line_.log_directory;
    options.before_iteration = [this](const IterationInfo& info) { injector_.at(info); };
    options.verify = [this](const IterationInfo& info) {
      note_failed_call(info);
      under_fault_->check_run();
      return true;
    };
    options.progress = [this](const Progress& progress) { note_past(progress); };
    tuner_ = std::make_unique<ContextualAutotuner>(options);
  }

  /// The layer's own check rejects the assignment after this.
  void note_failed_call(const IterationInfo& info) {
    const std::string failure = workspace_ == nullptr ? "" : workspace_->failure();
    if (!failure.empty()) {
      results_.write({{"event", "failed_call"},
                      {"region", region_},
                      {"failure", failure},
                      {"tuning_iteration", info.tuning_iteration}});
    }
  }

  /// The batch with the fault is over, the ranks have agreed about it, and all of them go on.
  void note_past(const Progress& progress) {
    if (!past_ && region_.starts_with("fault") &&
        progress.iterations_done > std::stoll(command_line_.iterations.front())) {
      past_ = true;
      results_.write({{"event", "past"}, {"region", region_}});
    }
  }

  void tune(const std::string& name, RegionUnderFault& region, kernels::cuda::PeerWorkspace& workspace,
            const Options& options) {
    region_ = name;
    under_fault_ = &region;
    workspace_ = &workspace;
    region.begin();
    nlohmann::json record = faults::outcome_of([&] { tuner_->run(name, region, options); });
    const std::string outcome = record.at("outcome").get<std::string>();
    record["event"] = "out";
    record["region"] = name;
    record["repetition"] = command_line_.first;
    results_.write(record);
    workspace_ = nullptr;
    if (!can_go_on(outcome)) {
      leave();
    }
    if (outcome == "ok") {
      region.check_run();  // the final one
      const Report report = tuner_->report();
      if (const RegionReport* run = report.find(name)) {
        results_.write({{"event", "choices"}, {"region", name}, {"choices", run->choices_text()}});
      }
    } else {
      cuda_check(cudaDeviceSynchronize());
      workspace.rearm();
    }
    check(name, region, workspace);
  }

  /// After a fault that ends the run on all ranks alike, and leaves no device occupied.
  bool can_go_on(const std::string& outcome) const {
    const bool agreed = outcome == "ok" || outcome == "Injected" || outcome == "RegionFailedError" ||
                        outcome == "RankMismatchError";
    const bool occupied = command_line_.fault.kind == "hold" && command_line_.hold >= command_line_.deadline;
    return agreed && !(occupied && region_.starts_with("fault"));
  }

  /// Without destructors, of which the workspace's waits for the other ranks, and others for the device.
  [[noreturn]] void leave() const {
    results_.write({{"event", "end"}});
    std::fflush(nullptr);
    _exit(0);
  }

  void check(const std::string& name, RegionUnderFault& region,
             const kernels::cuda::PeerWorkspace& workspace) const {
    const RegionResults results = region.results();
    results_.write({{"event", "checked"},
                    {"region", name},
                    {"while_tuning", results.while_tuning},
                    {"afterwards", results.afterwards},
                    {"own_kernel", results.own_kernel},
                    {"failure", workspace.failure()}});
  }

  const CommandLine& command_line_;
  std::shared_ptr<Communicator> world_;
  faults::ResultFile results_;
  faults::Injector injector_;
  std::unique_ptr<ContextualAutotuner> tuner_;
  std::string region_;                                 ///< that is being tuned
  RegionUnderFault* under_fault_ = nullptr;            ///< the same
  kernels::cuda::PeerWorkspace* workspace_ = nullptr;  ///< of the same, while it is being tuned
  bool past_ = false;                                  ///< the batch with the fault
};

int run_rank(const CommandLine& command_line) {
  Program program(command_line, mpi_world({.roll_call = command_line.roll_call}));
  return program.run();
}

}  // namespace
}  // namespace contextual::test::gpu_test

int main(int argc, char** argv) {
  return faults::fault_main("gpu_region_faults", argc, argv, contextual::test::gpu_test::run_rank);
}

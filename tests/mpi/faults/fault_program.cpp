/// \file
/// A program of several ranks in which one does something wrong. run_faults.py starts it and judges what each
/// rank wrote into its result file.
///
/// A repetition is a run without fault (region "healthy-N") and one with it (region "fault-N"). MPI is the
/// library's: it initialises it, and leaves it alone at the exit when a rank is missing.

#include "command_line.hpp"
#include "fault_main.hpp"
#include "fault_region.hpp"
#include "injector.hpp"
#include "outcome.hpp"
#include "result_file.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/mpi.hpp>

#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace faults {
namespace {

constexpr int on_deadline_exit_code = 85;
constexpr int returned_exit_code = 7;

/// One rank's program.
class Program {
 public:
  Program(const CommandLine& command_line, std::shared_ptr<contextual::Communicator> world)
      : command_line_(command_line),
        world_(std::move(world)),
        results_(command_line.result_directory / ("rank-" + std::to_string(world_->rank()) + ".txt")),
        injector_(world_->rank(), results_) {
    results_.write(
        {{"event", "start"}, {"pid", getpid()}, {"rank", world_->rank()}, {"ranks", world_->size()}});
  }

  /// Returns the exit code.
  int run() {
    make_tuner();
    repeat();
    if (returned_) {
      return returned_exit_code;
    }
    results_.write({{"event", "end"}});
    return 0;
  }

 private:
  void repeat() {
    for (int i = 0; i < command_line_.repeat; ++i) {
      const int repetition = command_line_.first + i;
      if (!run_healthy(repetition) || !run_faulty(repetition)) {
        return;  // what is poisoned cannot go on
      }
    }
    static_cast<void>(run_healthy(command_line_.first + command_line_.repeat));
  }

  void make_tuner() {
    contextual::Options options{.n_warmup = 1, .n_repeat = 2};
    options.search_settings.runs = 100;  // so that every config is tried, whatever decides
    options.search_settings.closing_rounds = 2;
    options.deadline = command_line_.deadline;
    options.grace = command_line_.grace;
    options.log_directory = command_line_.log_directory;
    options.communicator = world_;
    options.before_iteration = [this](const contextual::IterationInfo& info) {
      injector_.at(info);
      injector_.reach("before_iteration");
    };
    options.after_iteration = [this](const contextual::IterationInfo&) {
      injector_.reach("after_iteration");
    };
    if (command_line_.on_deadline) {
      options.on_deadline = [this](const contextual::BlockedInfo& info) {
        results_.write({{"event", "blocked"}, {"activity", info.activity}, {"kernel", info.kernel}});
        _exit(on_deadline_exit_code);
      };
    }
    tuner_ = std::make_unique<contextual::ContextualAutotuner>(options);
  }

  bool run_healthy(int repetition) {
    if (!command_line_.healthy) {
      return true;
    }
    injector_.disarm();
    contextual::Options options;
    // Nobody is late but by the machine's other work. But a process that exits keeps to its last deadline.
    const bool exits = command_line_.fault.kind == "std_exit" || command_line_.fault.kind == "return";
    options.deadline = exits ? command_line_.deadline : std::chrono::seconds(30);
    return tune("healthy-" + std::to_string(repetition), repetition, options);
  }

  bool run_faulty(int repetition) {
    if (command_line_.fresh_tuner) {
      make_tuner();
    }
    const std::string name = "fault-" + std::to_string(repetition);
    injector_.arm(fault_of(command_line_, repetition, world_->size()), repetition);
    injector_.reach("between");
    returned_ = injector_.always("return");
    if (returned_) {
      return false;
    }
    set_environment();
    contextual::Options options;
    if (injector_.always("other_options")) {
      options.n_repeat = 3;
    }
    if (injector_.always("invalid_options")) {
      options.n_repeat = 0;
    }
    if (command_line_.fault.kind == "other_region_order") {
      const bool turned = injector_.always("other_region_order");
      return tune(name + (turned ? "-b" : "-a"), repetition, options) &&
             tune(name + (turned ? "-a" : "-b"), repetition, options);
    }
    return tune(injector_.always("other_region") ? name + "-other" : name, repetition, options);
  }

  /// The library reads the environment once, in the first `run`.
  void set_environment() {
    if (injector_.always("environment_mode")) {
      setenv("CONTEXTUAL_MODE", "off", 1);
    }
    if (injector_.always("environment_always_tune")) {
      setenv("CONTEXTUAL_ALWAYS_TUNE", "1", 1);
    }
    if (injector_.always("environment_invalid")) {
      setenv("CONTEXTUAL_MODE", "banana", 1);
    }
  }

  /// False when the communicator cannot be used any more.
  bool tune(const std::string& region_name, int repetition, const contextual::Options& options) {
    FaultRegion region(injector_, command_line_.ring);
    nlohmann::json record = outcome_of([&] { tuner_->run(region_name, region, options); });
    const bool poisoned = record.at("outcome").get<std::string>() == "CommunicationError";
    record["event"] = "out";
    record["region"] = region_name;
    record["repetition"] = repetition;
    results_.write(record);
    const contextual::Report report = tuner_->report();
    const contextual::RegionReport* run = report.find(region_name);
    if (run != nullptr && !poisoned) {
      results_.write({{"event", "choices"}, {"region", region_name}, {"choices", run->choices_text()}});
    }
    return !poisoned;
  }

  const CommandLine& command_line_;
  std::shared_ptr<contextual::Communicator> world_;
  ResultFile results_;
  Injector injector_;
  std::unique_ptr<contextual::ContextualAutotuner> tuner_;
  bool returned_ = false;  ///< early, as the fault says
};

int run_rank(const CommandLine& command_line) {
  Program program(command_line, contextual::mpi_world({.roll_call = command_line.roll_call}));
  return program.run();
}

}  // namespace
}  // namespace faults

int main(int argc, char** argv) {
  return faults::fault_main("fault_program", argc, argv, faults::run_rank);
}

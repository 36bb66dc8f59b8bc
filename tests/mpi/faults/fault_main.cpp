#include "fault_main.hpp"

#include "supervisor.hpp"

#include <cstdio>
#include <exception>

namespace faults {

int fault_main(const std::string& name, int argc, char** argv,
               const std::function<int(const CommandLine&)>& run_rank) {
  try {
    const CommandLine command_line = parse({argv + 1, argv + argc});
    const auto program = [&] { return run_rank(command_line); };
    return command_line.supervise ? supervise(command_line.result_directory, program) : program();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what());
    return 2;
  }
}

}  // namespace faults

#include "supervisor.hpp"

#include "result_file.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>
#include <system_error>

namespace faults {

int supervise(const std::filesystem::path& directory, const std::function<int()>& program) {
  const pid_t child = fork();
  if (child < 0) {
    throw std::system_error(errno, std::generic_category(), "fork");
  }
  if (child == 0) {
    return program();
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      throw std::system_error(errno, std::generic_category(), "waitpid");
    }
  }
  nlohmann::json record{{"event", "exit"}, {"pid", child}, {"code", nullptr}, {"signal", nullptr}};
  if (WIFEXITED(status)) {
    record["code"] = WEXITSTATUS(status);
  } else {
    record["signal"] = WTERMSIG(status);
  }
  ResultFile(directory / ("exit-" + std::to_string(child) + ".json")).write(record);
  if (WIFSIGNALED(status)) {
    std::signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
  }
  return WEXITSTATUS(status);
}

}  // namespace faults

#include "command_line.hpp"

#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>

namespace faults {
namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) {
    parts.push_back(part);
  }
  return parts;
}

}  // namespace

CommandLine parse(const std::vector<std::string>& arguments) {
  CommandLine c;
  const auto milliseconds = [](std::chrono::milliseconds& into) {
    return [&into](const std::string& text) { into = std::chrono::milliseconds(std::stoll(text)); };
  };
  const std::map<std::string, std::function<void(const std::string&)>> values{
      {"--fault", [&](const std::string& text) { c.fault.kind = text; }},
      {"--point", [&](const std::string& text) { c.fault.point = text; }},
      {"--rank", [&](const std::string& text) { c.fault.rank = std::stoi(text); }},
      {"--iterations", [&](const std::string& text) { c.iterations = split(text); }},
      {"--repeat", [&](const std::string& text) { c.repeat = std::stoi(text); }},
      {"--first", [&](const std::string& text) { c.first = std::stoi(text); }},
      {"--deadline-ms", milliseconds(c.deadline)},
      {"--grace-ms", milliseconds(c.grace)},
      {"--roll-call-ms", milliseconds(c.roll_call)},
      {"--wait-budget-ms", milliseconds(c.wait_budget)},
      {"--hold-ms", milliseconds(c.hold)},
      {"--log-directory", [&](const std::string& text) { c.log_directory = text; }},
      {"--result-directory", [&](const std::string& text) { c.result_directory = text; }},
  };
  const std::map<std::string, bool*> flags{
      {"--vary-rank", &c.vary_rank},     {"--ring", &c.ring},           {"--fresh-tuner", &c.fresh_tuner},
      {"--on-deadline", &c.on_deadline}, {"--supervise", &c.supervise},
  };
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    if (const auto flag = flags.find(name); flag != flags.end()) {
      *flag->second = true;
    } else if (name == "--no-healthy") {
      c.healthy = false;
    } else if (const auto value = values.find(name); value != values.end() && i + 1 < arguments.size()) {
      value->second(arguments[++i]);
    } else {
      throw std::invalid_argument("unknown option, or no value for it: " + name);
    }
  }
  if (c.iterations.empty()) {
    throw std::invalid_argument("--iterations needs at least one");
  }
  return c;
}

Fault fault_of(const CommandLine& command_line, int repetition, int ranks) {
  Fault fault = command_line.fault;
  if (command_line.vary_rank) {
    fault.rank = (fault.rank + repetition) % ranks;
  }
  const auto number = static_cast<std::size_t>(repetition);
  // Another iteration only after every rank had this one.
  const std::size_t step = command_line.vary_rank ? number / static_cast<std::size_t>(ranks) : number;
  fault.iteration = command_line.iterations[step % command_line.iterations.size()];
  return fault;
}

}  // namespace faults

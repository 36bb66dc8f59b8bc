#include "support/catch.hpp"

#include <contextual/detail/storage/machine.hpp>

#include <cstdlib>

namespace machine_test {

using namespace contextual::detail;

TEST_CASE("this_machine: library, search, processor and what was added, one line each, in UTF-8") {
  describe_machine("added", [] { return std::string("two\nlines\xff"); });
  const Machine machine = this_machine();
  CHECK(machine.at("added") == "two lines\xef\xbf\xbd");
  CHECK(machine.at("library").starts_with("0."));
  CHECK((machine.contains("processor") && machine.contains("search")));
  CHECK(this_machine() == machine);
  CHECK(machine_digest(this_machine()) == machine_digest(machine));
  describe_machine("added", []() -> std::string { throw std::runtime_error("no device"); });
  CHECK(this_machine().at("added") == "unknown: no device");
  CHECK(machine_digest(this_machine()) != machine_digest(machine));
}

TEST_CASE("this_machine: the variables that change how NCCL works, and no others") {
  const Machine before = this_machine();
  const std::vector<const char*> neutral = {"NCCL_DEBUG",
                                            "NCCL_DEBUG_FILE",
                                            "NCCL_DEBUG_SUBSYS",
                                            "NCCL_RAS_ENABLE",
                                            "NCCL_COMM_ID",
                                            "NCCL_HOSTID",
                                            "NCCL_CONF_FILE",
                                            "NCCL_SOCKET_IFNAME",
                                            "NCCL_TOPO_DUMP_FILE",
                                            "NCCL_GRAPH_DUMP_FILE",
                                            "NCCL_GRAPH_DUMP_FILE_RANK",
                                            "NCCL_TOPO_DUMP_FILE_RANK",
                                            "NCCL_SET_THREAD_NAME",
                                            "NCCL_PROXY_DUMP_SIGNAL",
                                            "NCCL_WARN_ENABLE_DEBUG_INFO"};
  for (const char* const name : neutral) {
    ::setenv(name, "1", 1);
    INFO(name);
    CHECK(this_machine() == before);
    ::unsetenv(name);
  }
  for (const char* const name :
       {"NCCL_ALGO", "NCCL_TOPO_FILE", "NCCL_GRAPH_FILE", "NCCL_SOCKET_NTHREADS", "NCCL_PROFILER_PLUGIN"}) {
    ::setenv(name, "1", 1);
    CHECK_THAT(this_machine().at("nccl variables"), ContainsSubstring(std::string(name) + "=1"));
    ::unsetenv(name);
  }
  CHECK(this_machine() == before);
}

TEST_CASE("without_versions: leaves out what software says of itself, and nothing else") {
  const Machine versions{
      {"cuda", "13000"}, {"driver", "13000"}, {"library", "0.1.0"}, {"nccl", "2.28.3"}, {"search", "1"}};
  const Machine others{{"devices", "GPU"}, {"nccl variables", "NCCL_ALGO=Ring"}, {"processor", "library: b"}};
  Machine all = versions;
  all.insert(others.begin(), others.end());
  CHECK(without_versions(all) == others);
}

TEST_CASE("add_ranks_per_node: counts the ranks of each machine, and names none") {
  std::vector<Machine> machines(4, {{"a", "b"}});
  add_ranks_per_node(machines, {"one", "two", "one", "one"});
  const Machine three{{"a", "b"}, {ranks_on_machine, "3"}};
  CHECK(machines == std::vector<Machine>{three, {{"a", "b"}, {ranks_on_machine, "1"}}, three, three});
}

TEST_CASE("node_text: the same each time, without the host's name, or what NCCL goes by") {
  const std::string node = node_text();
  CHECK(node.size() == 16);
  CHECK(node_text() == node);
  ::setenv("NCCL_HOSTID", "this one", 1);
  CHECK(node_text() == "this one");
  ::unsetenv("NCCL_HOSTID");
}

}  // namespace machine_test

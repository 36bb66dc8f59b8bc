#include "support/catch.hpp"

#include <contextual/detail/storage/machine.hpp>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace machine_test {

using contextual::detail::add_ranks_per_node;
using contextual::detail::describe_machine;
using contextual::detail::machine_text;
using contextual::detail::node_text;
using contextual::detail::versions_in;
using contextual::detail::without_versions;

TEST_CASE("machine_text: library, search, processor and what was added, one line each", "[unit]") {
  describe_machine("added", [] { return std::string("two\nlines"); });
  const std::string text = machine_text();
  CHECK_THAT(text, ContainsSubstring("added: two lines\n") && ContainsSubstring("\nlibrary: 0.") &&
                       ContainsSubstring("\nprocessor: ") && ContainsSubstring("\nsearch: "));
  CHECK(machine_text() == text);
  describe_machine("added", []() -> std::string { throw std::runtime_error("no device"); });
  CHECK_THAT(machine_text(), ContainsSubstring("added: unknown: no device\n"));
}

TEST_CASE("machine_text: the variables that change how NCCL works, and no others", "[unit]") {
  const std::string before = machine_text();
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
    CHECK(machine_text() == before);
    ::unsetenv(name);
  }
  for (const char* const name :
       {"NCCL_ALGO", "NCCL_TOPO_FILE", "NCCL_GRAPH_FILE", "NCCL_SOCKET_NTHREADS", "NCCL_PROFILER_PLUGIN"}) {
    ::setenv(name, "1", 1);
    CHECK_THAT(machine_text(), ContainsSubstring(std::string(name) + "=1"));
    ::unsetenv(name);
  }
  CHECK(machine_text() == before);
}

TEST_CASE("without_versions: leaves out what software says of itself, and nothing else", "[unit]") {
  CHECK(without_versions("cuda: 13000\ndevices: GPU\ndriver: 13000\nlibrary: 0.1.0\nnccl: 2.28.3\n"
                         "nccl variables: NCCL_ALGO=Ring\nprocessor: a library: b\nsearch: 1\n") ==
        "devices: GPU\nnccl variables: NCCL_ALGO=Ring\nprocessor: a library: b\n");
}

TEST_CASE("versions_in: what software says of itself, and nothing else", "[unit]") {
  CHECK(versions_in("cuda: 13000\ndevices: GPU\ndriver: 13000\nlibrary: 0.1.0\nnccl: 2.28.3\n"
                    "nccl variables: NCCL_ALGO=Ring\nprocessor: a library: b\nsearch: 1\n") ==
        "cuda: 13000\ndriver: 13000\nlibrary: 0.1.0\nnccl: 2.28.3\nsearch: 1\n");
}

TEST_CASE("add_ranks_per_node: counts the ranks of each machine, and names none", "[unit]") {
  std::vector<std::string> texts(4, "a: b\n");
  add_ranks_per_node(texts, {"one", "two", "one", "one"});
  CHECK(texts ==
        std::vector<std::string>{"a: b\nranks on this machine: 3\n", "a: b\nranks on this machine: 1\n",
                                 "a: b\nranks on this machine: 3\n", "a: b\nranks on this machine: 3\n"});
}

TEST_CASE("node_text: the same each time, without the host's name, or what NCCL goes by", "[unit]") {
  const std::string node = node_text();
  CHECK(node.size() == 16);
  CHECK(node_text() == node);
  ::setenv("NCCL_HOSTID", "this one", 1);
  CHECK(node_text() == "this one");
  ::unsetenv("NCCL_HOSTID");
}

}  // namespace machine_test

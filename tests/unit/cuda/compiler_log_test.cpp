#include "contextual/cuda/kernel/compiler_log.hpp"

#include "support/catch.hpp"

namespace contextual::cuda::compiler_log_test {

TEST_CASE("compiler log: a header is broken by the macros of the line that is shown") {
  const CompilerInput input(CudaSource::text("k.cu", ""));
  const std::string log =
      "a.h(3): error: expected an identifier\n  int T, y;\n      ^\n\n"
      "k.cu(1): error: identifier \"x\" is undefined\n  x;\n  ^\n"
      "b.h(7): warning #177-D: variable\n  int x;\n";
  CHECK(
      broken_headers(log, input, {"x", "y", "T", "y", "Type"}) ==
      "Header \"a.h\" uses the names \"y\", \"T\", which are macros of this config and replaced there: give "
      "the macros other names\n");
  CHECK(broken_headers(log, input, {"x"}).empty());
  CHECK(broken_headers("", input, {"x"}).empty());
}

TEST_CASE("compiler log: else by those that its text contains") {
  const CompilerInput input(
      CudaSource::text("k.cu", "").header("a.h", "#if N > 3\n#error too many\n#endif\n"));
  const std::string log = "a.h(2): catastrophic error: #error directive: too many\n  #error too many\n   ^\n";
  CHECK(broken_headers(log, input, {"M", "N"}) ==
        "Header \"a.h\" uses the name \"N\", which is a macro of this config and replaced there: give the "
        "macro "
        "another name\n");
  CHECK(broken_headers(log, input, {"M"}).empty());
}

}  // namespace contextual::cuda::compiler_log_test

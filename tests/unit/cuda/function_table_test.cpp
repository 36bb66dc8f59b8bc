/// \file
/// The table of a library's functions that is in force: the library's own, loaded at the first use, or a
/// replacement.

#include "support/catch.hpp"
#include "support/engine.hpp"
#include "support/threads.hpp"

#include <contextual/detail/cuda/function_table.hpp>

#include <latch>

namespace contextual::test::function_table_test {

namespace {

struct Table {
  int (*process_id)() = nullptr;
  int (*no_such_function)() = nullptr;
};

/// A library that counts how often it is asked for.
struct Library {
  explicit Library(std::string problem = "") : loaded{{}, std::move(problem)} {}

  const Table& used_through(detail::TableInForce<Table>& in_force) {
    return in_force.get([this]() -> const detail::Loaded<Table>& {
      ++loads;
      return loaded;
    });
  }

  detail::Loaded<Table> loaded;
  std::atomic<int> loads{0};
};

}  // namespace

TEST_CASE("function table: the library is loaded at the first use, and is not a replacement") {
  detail::TableInForce<Table> in_force;
  Library library;
  CHECK_FALSE(in_force.replaced());
  CHECK(&library.used_through(in_force) == &library.loaded.table);
  CHECK(&library.used_through(in_force) == &library.loaded.table);
  CHECK(library.loads == 1);
  CHECK_FALSE(in_force.replaced());
}

TEST_CASE("function table: replaced before its first use nothing is loaded until that is undone") {
  detail::TableInForce<Table> in_force;
  Library library;
  const Table replacement;
  CHECK(in_force.replace(&replacement) == nullptr);
  CHECK(in_force.replaced());
  CHECK(&library.used_through(in_force) == &replacement);
  CHECK(library.loads == 0);
  CHECK(in_force.replace(nullptr) == &replacement);
  CHECK_FALSE(in_force.replaced());
  CHECK(&library.used_through(in_force) == &library.loaded.table);
  CHECK(library.loads == 1);
}

TEST_CASE("function table: replacements nest, and the last one undone brings the library back") {
  detail::TableInForce<Table> in_force;
  Library library;
  library.used_through(in_force);
  const Table outer;
  const Table inner;
  const Table* const before_outer = in_force.replace(&outer);
  const Table* const before_inner = in_force.replace(&inner);
  CHECK(before_inner == &outer);
  CHECK(&library.used_through(in_force) == &inner);
  in_force.replace(before_inner);
  CHECK(&library.used_through(in_force) == &outer);
  CHECK(in_force.replaced());
  in_force.replace(before_outer);
  CHECK(&library.used_through(in_force) == &library.loaded.table);
  CHECK_FALSE(in_force.replaced());
  CHECK(library.loads == 1);
}

TEST_CASE("function table: a library that cannot be loaded says so at each use, unless it is replaced") {
  detail::TableInForce<Table> in_force;
  Library library("no such library");
  const auto use = [&] { library.used_through(in_force); };
  CHECK(error_text<CudaUnavailable>(use) == "no such library");
  CHECK(error_text<CudaUnavailable>(use) == "no such library");
  const Table replacement;
  CHECK(in_force.replace(&replacement) == nullptr);
  CHECK(&library.used_through(in_force) == &replacement);
  in_force.replace(nullptr);
  CHECK(error_text<CudaUnavailable>(use) == "no such library");
  CHECK_FALSE(in_force.replaced());
}

TEST_CASE("function table: a replacement that comes while the library is being loaded stays in force") {
  detail::TableInForce<Table> in_force;
  Library library;
  const Table replacement;
  in_force.get([&]() -> const detail::Loaded<Table>& {
    in_force.replace(&replacement);
    return library.loaded;
  });
  CHECK(in_force.replaced());
  CHECK(&library.used_through(in_force) == &replacement);
  CHECK(library.loads == 0);
}

TEST_CASE("function table: threads that use it first at once all get the library's") {
  constexpr int count = 4;
  for (int time = 0; time < 50; ++time) {
    detail::TableInForce<Table> in_force;
    Library library;
    std::latch start(count);
    std::vector<const Table*> got(count);
    on_threads(count, [&](std::size_t thread) {
      start.arrive_and_wait();
      got[thread] = &library.used_through(in_force);
    });
    REQUIRE(got == std::vector<const Table*>(count, &library.loaded.table));
    REQUIRE_FALSE(in_force.replaced());
    const int loads = library.loads;
    REQUIRE(&library.used_through(in_force) == &library.loaded.table);
    REQUIRE(library.loads == loads);
  }
}

TEST_CASE("function table: the first symbol that a library lacks is its problem, the others are taken") {
  const detail::SharedLibrary c({"libc.so.6"});
  REQUIRE(c.loaded());
  detail::Loaded<Table> loaded;
  loaded.take(c, "contextual_has_no_such_function", loaded.table.no_such_function);
  loaded.take(c, "contextual_has_no_such_function_either", loaded.table.no_such_function);
  loaded.take(c, "getpid", loaded.table.process_id);
  CHECK(loaded.problem == "the library has no contextual_has_no_such_function: it is too old");
  CHECK(loaded.table.no_such_function == nullptr);
  REQUIRE(loaded.table.process_id != nullptr);
  CHECK(loaded.table.process_id() == ::getpid());
}

TEST_CASE("shared library: the copy that the process has already is preferred to one that would be loaded") {
  const auto linked = detail::SharedLibrary::of_process("getpid", "libcontextual_has_no_such_library.so");
  REQUIRE(linked.loaded());
  CHECK(linked.problem().empty());
  CHECK(linked.symbol("getpid") == detail::SharedLibrary({"libc.so.6"}).symbol("getpid"));
}

TEST_CASE("shared library: one that only others brought along is found by their names") {
  // The symbol is in no library that the program was linked to, and this one is loaded for itself alone.
  const detail::SharedLibrary brought({"libthread_db.so.1"});
  const char* const symbol = "td_init";
  if (brought.symbol(symbol) == nullptr) {
    return;  // this machine has no such library
  }
  const auto found = detail::SharedLibrary::of_process(symbol, "libcontextual_has_no_such_library.so",
                                                       {"libthread_db.so.1"});
  CHECK(found.symbol(symbol) == brought.symbol(symbol));
}

TEST_CASE("shared library: what the process lacks is loaded, or the loader's words say why not") {
  const auto lacking = detail::SharedLibrary::of_process("contextual_has_no_such_function",
                                                         "libcontextual_has_no_such_library.so");
  CHECK_FALSE(lacking.loaded());
  CHECK_THAT(lacking.problem(), ContainsSubstring("libcontextual_has_no_such_library.so"));
}

}  // namespace contextual::test::function_table_test

/// \file
/// What `run` and a launch return.

#include "support/engine.hpp"

#include <type_traits>

namespace contextual::test::return_values_test {

namespace {

class NoDefault {
 public:
  explicit NoDefault(int value) : value_(value) {}
  int value() const { return value_; }

 private:
  int value_;
};

}  // namespace

TEST_CASE("run: returns what the final run of the region returned") {
  TunableKernel kernel{"returns_value", blocks(3), single_problem,
                       [](const Block& c, int factor) { return c.block * factor; }};
  ContextualAutotuner tuner{quick()};
  int runs = 0;
  const int value = tuner.run("returns_value", [&] { return kernel(100) + ++runs; });
  CHECK(value == 200 + 7);
}

TEST_CASE("run: void, references, move-only and non-default-constructible values are returned") {
  TunableKernel kernel{"returns_kinds", blocks(2), single_problem, [](const Block&) {}};
  ContextualAutotuner tuner{quick()};
  static_assert(std::is_void_v<decltype(tuner.run("r", [] {}))>);

  int target = 0;
  decltype(auto) reference = tuner.run("returns_reference", [&]() -> int& {
    kernel();
    return target;
  });
  static_assert(std::is_same_v<decltype(reference), int&>);
  CHECK(&reference == &target);

  decltype(auto) rvalue = tuner.run("returns_rvalue_reference", [&]() -> int&& {
    kernel();
    return std::move(target);
  });
  static_assert(std::is_same_v<decltype(rvalue), int&&>);
  CHECK(&rvalue == &target);

  const std::unique_ptr<int> moved = tuner.run("returns_move_only", [&] {
    kernel();
    return std::make_unique<int>(42);
  });
  CHECK(*moved == 42);

  const NoDefault made = tuner.run("returns_no_default", [&] {
    kernel();
    return NoDefault(43);
  });
  CHECK(made.value() == 43);
}

TEST_CASE("wrapped region: void, references and move-only values are returned by first and later calls") {
  TunableKernel kernel{"wrapped_references", blocks(2), single_problem, [](const Block&) {}};
  ContextualAutotuner tuner{quick()};
  auto by_lvalue = make_tuned_region(tuner, "wrapped_lvalue", [&](std::string& text) -> std::string& {
    kernel();
    return text;
  });
  auto by_rvalue = make_tuned_region(tuner, "wrapped_rvalue", [&](std::string& text) -> std::string&& {
    kernel();
    return std::move(text);
  });
  static_assert(std::is_same_v<decltype(by_lvalue(std::declval<std::string&>())), std::string&>);
  static_assert(std::is_same_v<decltype(by_rvalue(std::declval<std::string&>())), std::string&&>);
  auto move_only = make_tuned_region(tuner, "wrapped_move_only", [&](int n) {
    kernel();
    return std::make_unique<int>(n);
  });
  auto nothing = make_tuned_region(tuner, "wrapped_void", [&] { kernel(); });
  static_assert(std::is_void_v<decltype(nothing())>);
  std::string text = "still here, since a reference moves nothing";
  for (int call = 0; call < 2; ++call) {
    CHECK(&by_lvalue(text) == &text);
    std::string&& rvalue = by_rvalue(text);
    CHECK(&rvalue == &text);
    CHECK(*move_only(call) == call);
    nothing();
  }
  const std::string taken = by_rvalue(text);
  CHECK(taken == "still here, since a reference moves nothing");
  CHECK(text.empty());
}

TEST_CASE("run: at most one value of the region lives at a time") {
  struct Counted {
    explicit Counted(std::shared_ptr<int> n) : alive(std::move(n)) {}
    std::shared_ptr<int> alive;
  };
  const auto alive = std::make_shared<int>(0);
  TunableKernel kernel{"returns_one", blocks(3), single_problem, [](const Block&) {}};
  ContextualAutotuner tuner{quick()};
  long most = 0;
  const Counted value = tuner.run("returns_one", [&] {
    kernel();
    most = std::max(most, alive.use_count());
    return Counted(alive);
  });
  CHECK(most == 1);
  CHECK(alive.use_count() == 2);
}

TEST_CASE("launch: void, references, move-only and non-default-constructible values are returned") {
  int target = 0;
  TunableKernel by_reference{"launch_reference", blocks(2), single_problem,
                             [&](const Block&) -> int& { return target; }};
  TunableKernel by_rvalue{"launch_rvalue_reference", blocks(2), single_problem,
                          [&](const Block&) -> int&& { return std::move(target); }};
  TunableKernel move_only{"launch_move_only", blocks(2), single_problem,
                          [](const Block&, int n) { return std::make_unique<int>(n); }};
  TunableKernel no_default{"launch_no_default", blocks(2), single_problem,
                           [](const Block&, int n) { return NoDefault(n); }};
  const auto launch_all = [&] {
    CHECK(&by_reference() == &target);
    int&& rvalue = by_rvalue();
    CHECK(&rvalue == &target);
    CHECK(*move_only(5) == 5);
    CHECK(no_default(6).value() == 6);
  };
  tuned("launch_kinds", launch_all);
  launch_all();
}

}  // namespace contextual::test::return_values_test

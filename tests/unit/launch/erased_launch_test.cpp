/// \file
/// What a launch keeps although the library does not know its types.

#include "support/engine.hpp"

namespace contextual::test::erased_launch_test {

/// A status that is a failure where `code` is not zero.
struct ManyStatus {
  int code = 0;
};

/// One that never fails.
struct OtherResult {};

}  // namespace contextual::test::erased_launch_test

template <>
struct contextual::launch_status<contextual::test::erased_launch_test::ManyStatus>
    : contextual::launch_status<contextual::test::erased_launch_test::OtherResult> {
  static std::optional<std::string> failure(const contextual::test::erased_launch_test::ManyStatus& status) {
    return status.code != 0 ? std::optional<std::string>("it failed") : std::nullopt;
  }
};

namespace contextual::test::erased_launch_test {

TEST_CASE("erased launch: a status whose specialisation derives from another may fail") {
  TunableKernel kernel{"erased_status", blocks(3), single_problem,
                       [](const Block& config) { return ManyStatus{config.block == 2 ? 1 : 0}; }};
  tuned("erased_status", [&] { kernel(); });
  CHECK(LaunchRegistry::instance().locked_in("erased_status", "erased_status", Key{}) == 1);
}

TEST_CASE("erased launch: what a rejected launch returned is gone before the next one's hooks") {
  struct Lease {
    explicit Lease(int& held) : held_(&held) { ++held; }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Lease(Lease&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (held_ != nullptr) {
        --*held_;
      }
    }
    int* held_;
  };
  int held = 0;
  int held_in_reset = 0;
  int checks = 0;
  KernelOptions<Lease(const Block&)> options;
  options.reset = [&] { held_in_reset += held; };
  options.check = [&](const Block& config) {
    ++checks;
    return config.block != 2;
  };
  TunableKernel<Lease(const Block&)> kernel{"erased_lease", blocks(3), single_problem,
                                            [&](const Block&) { return Lease(held); }, options};
  tuned("erased_lease", [&] { kernel(); });
  CHECK(checks > 0);
  CHECK(held_in_reset == 0);
  CHECK(held == 0);
}

void twice(int& value) {
  value *= 2;
}

TEST_CASE("erased launch: a reference to a function is an argument") {
  int value = 1;
  TunableKernel<void(const Block&, void (&)(int&))> kernel{
      "erased_function", blocks(2), [](void (&)(int&)) { return make_key(1); },
      [&](const Block&, void (&change)(int&)) { change(value); }};
  kernel(twice);
  CHECK(value == 2);
}

TEST_CASE("erased launch: a result is converted as a return statement does it") {
  struct Converted {
    Converted(long from) : value(static_cast<int>(from)) {}
    explicit Converted(int from) : value(from + 100) {}
    int value;
  };
  TunableKernel<Converted(const Block&)> kernel{"erased_result", blocks(2), single_problem,
                                                [](const Block&) { return 5; }};
  CHECK(kernel().value == 5);
}

}  // namespace contextual::test::erased_launch_test

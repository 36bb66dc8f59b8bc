/// \file
/// Counts allocations: replaces the global operator new of this test program.

#include "contextual/storage/pin.hpp"
#include "support/engine.hpp"
#include "support/stderr_capture.hpp"

#include <cstdlib>
#include <new>

using namespace contextual;
using namespace engine_test;

namespace {

thread_local std::size_t allocations = 0;

void* counted(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size > 0 ? size : 1)) {
    return memory;
  }
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) {
  return counted(size);
}
void* operator new[](std::size_t size) {
  return counted(size);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size > 0 ? size : 1);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size > 0 ? size : 1);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace {

template <typename Call>
std::size_t allocations_of(Call&& call) {
  const std::size_t before = allocations;
  call();
  return allocations - before;
}

}  // namespace

TEST_CASE("holds 11: a locked-in launch outside of run allocates nothing") {
  int sum = 0;
  TunableKernel kernel{"holds_11_allocations",
                       blocks(3),
                       [](int n) { return make_key(n); },
                       [&](const Block& c, int n) { sum += c.block * n; },
                       {.load = [](const Block&) {}, .key_names = {"N"}}};
  ContextualAutotuner tuner{quick()};
  tuner.run("holds_11_allocations", [&] {
    for (int n = 0; n < 64; ++n) {
      kernel(n);
    }
  });
  REQUIRE(allocations_of([] {
            int* volatile number =
                new int(1);  // volatile: a compiler may leave out an allocation that nobody sees
            delete number;
          }) == 1);  // the count works
  CHECK(allocations_of([&] {
          for (int n = 0; n < 128; ++n) {  // half of the keys are new
            kernel(n);
          }
        }) == 0);
  CHECK(sum > 0);
}

TEST_CASE("holds 11: a locked-in launch with a long key allocates nothing") {
  int sum = 0;
  TunableKernel kernel{"holds_11_long_keys",
                       blocks(3),
                       [](const std::vector<int>& shape) { return make_key("holds 11", shape); },
                       [&](const Block& c, const std::vector<int>& shape) { sum += c.block * shape[0]; },
                       {.key_names = {"name", "shape"}}};
  const std::vector<int> shape(20, 7);
  const std::vector<int> seen(20, 8);
  REQUIRE(make_key("holds 11", shape).is_digest());
  ContextualAutotuner tuner{quick()};
  tuner.run("holds_11_long_keys", [&] { kernel(shape); });
  kernel(seen);  // keeps the key's parts
  CHECK(allocations_of([&] {
          for (int i = 0; i < 8; ++i) {
            kernel(shape);
            kernel(seen);
          }
        }) == 0);
  CHECK(sum > 0);
}

TEST_CASE("holds 11: launches in a wrapped region's later call allocate nothing") {
  TunableKernel kernel{"holds_11_wrapped_allocations", blocks(3), single_problem, [](const Block&) {}};
  ContextualAutotuner tuner{quick()};
  std::size_t in_region = 1;
  auto step = make_tuned_region(tuner, "holds_11_wrapped_allocations",
                                [&] { in_region = allocations_of([&] { kernel(); }); });
  step();
  step();
  CHECK(in_region == 0);
}

TEST_CASE("wrapped region: one with options inside another region allocates nothing once that was said") {
  ContextualAutotuner tuner{quick()};
  std::vector<float> weights(4);
  TunableKernel kernel{"nested_allocations", blocks(2), single_problem, [](const Block&) {}};
  auto inner = make_tuned_region(tuner, "nested_allocations_inner", [&] { kernel(); },
                                 {.n_repeat = 2, .restore = {{restored("weights", weights.data(), 4)}}});
  std::size_t in_inner = 1;
  auto outer = make_tuned_region(tuner, "nested_allocations_outer",
                                 [&] { in_inner = allocations_of([&] { inner(); }); });
  const StderrCapture said;
  outer();
  outer();
  CHECK(in_inner == 0);
  CHECK(count_of(said.text(), "nested_allocations_inner") == 1);
}

TEST_CASE("tuned function: a later call of a known key allocates nothing") {
  int sum = 0;
  auto function = autotune(
      "function_allocations", blocks(3), [](int n) { return make_key(n); },
      [&](const Block& c, int n) { sum += c.block * n; }, {.before_each = [](int) {}, .options = quick()});
  function(1);
  function(2);
  CHECK(allocations_of([&] {
          for (int n = 1; n <= 2; ++n) {
            function(n);
          }
        }) == 0);
  CHECK(sum > 0);
}

TEST_CASE("holds 11: a pinned launch allocates nothing once its key is known, nor does one beside it") {
  int last = 9;
  TunableKernel kernel{"holds_11_pinned", blocks(3), [](int n) { return make_key(n); },
                       [&](const Block& c, int) { last = c.block; }};
  const auto pin = [](const std::string& key, int block) {
    return storage::Pin{"pins", "holds_11_pinned", key, {}, {}, Config{{"BLOCK", block}}, {}};
  };
  LaunchRegistry& registry = LaunchRegistry::instance();
  const std::uint32_t region = registry.region_id({}, "holds_11_pinned");
  registry.pin(region, {pin("(1)", 2)});
  for (const int key : {1, 2}) {
    kernel(key);
    CHECK(last == (key == 1 ? 2 : 0));
    CHECK(allocations_of([&] { kernel(key); }) == 0);
  }
  registry.pin(region, {pin("", 1), pin("(1)", 2)});  // of one key before one of every key
  kernel(1);
  CHECK(last == 2);
  kernel(2);
  CHECK(last == 1);
  registry.pin(region, {});
  kernel(1);
  CHECK(last == 0);
}

#include "contextual/tuning/expected_output.hpp"

#include "support/catch.hpp"

#include <limits>
#include <span>

namespace contextual::expected_output_test {

using tuning::ExpectedOutput;
using tuning::fill_output;

namespace {

constexpr std::size_t count = (std::size_t{3} << 20) + 5;
constexpr std::size_t kept_bytes = std::size_t{4} << 20;

ExpectedOutput taken(Output output, std::size_t kept) {
  ExpectedOutput expected(std::move(output), kept, 0);
  expected.take();
  return expected;
}

}  // namespace

TEST_CASE("expected outputs: a filled element is NaN, or -1, and is not one that was written") {
  std::vector<float> data(9, 1.0F);
  const Output out = output("data", std::span(data));
  fill_output(out);
  CHECK(data[8] != data[8]);
  data[0] = 2;
  const ExpectedOutput expected = taken(out, out.bytes());
  CHECK(expected.unwritten() == 8);
  CHECK(expected.difference().empty());
  data[3] = 0;
  CHECK(expected.difference() ==
        "output \"data\": element 3 is 0 instead of nan; 1 of 9 elements differ, the largest error is inf");
  std::vector<std::int16_t> whole(4);
  const Output out_whole = output("whole", std::span(whole));
  fill_output(out_whole);
  CHECK(whole[0] == -1);
  CHECK(taken(out_whole, out_whole.bytes()).unwritten() == 4);
  whole[2] = 0;
  CHECK(taken(out_whole, out_whole.bytes()).unwritten() == 0);
}

TEST_CASE("expected outputs: of a large one, samples and the sums of blocks are kept") {
  std::vector<float> data(count, 1.0F);
  const ExpectedOutput expected = taken(output("data", std::span(data)), kept_bytes);
  CHECK(expected.sampled());
  CHECK(expected.kept_count() * sizeof(float) <= kept_bytes);
  CHECK(expected.difference().empty());
  for (const std::size_t i : {std::size_t{0}, count - 1}) {
    data[i] = 2;
    CHECK_THAT(expected.difference(), ContainsSubstring("samples differ"));
    data[i] = 1;
  }
  const std::size_t between = kept_bytes / 4 / sizeof(float) + 1000;  // after the first piece
  data[between] = std::numeric_limits<float>::quiet_NaN();
  CHECK_THAT(expected.difference(), ContainsSubstring("elements from element 262144 on differ"));
}

TEST_CASE("expected outputs: where NaN is expected, a block of a large one is compared all the same") {
  std::vector<float> data(count, 1.0F);
  data[5] = std::numeric_limits<float>::quiet_NaN();
  const ExpectedOutput expected = taken(output("data", std::span(data)), kept_bytes);
  CHECK(expected.difference().empty());
  const std::size_t between = kept_bytes / 4 / sizeof(float) + 1000;
  data[between] = std::numeric_limits<float>::quiet_NaN();
  CHECK_THAT(expected.difference(), ContainsSubstring("elements from element 262144 on differ"));
}

TEST_CASE("expected outputs: a mask of huge values does not allow errors of the others") {
  std::vector<float> data(1000, 1.0F);
  for (std::size_t i = 0; i < data.size(); i += 4) {
    data[i] = -1e9F;
  }
  const ExpectedOutput expected = taken(output("data", std::span(data)), data.size() * sizeof(float));
  data[1] = 0;
  CHECK_THAT(expected.difference(), ContainsSubstring("element 1 is 0 instead of 1"));
}

TEST_CASE("expected outputs: large ones of integers are compared by hashes between the samples") {
  std::vector<std::int32_t> data(count, 1);
  const ExpectedOutput expected = taken(output("data", std::span(data)), kept_bytes);
  const std::size_t between = kept_bytes / 4 / sizeof(std::int32_t) + 1000;
  data[between] = 2;
  data[between + 1] = 0;  // the sum is the same
  CHECK_THAT(expected.difference(), ContainsSubstring("elements from element 262144 on differ"));
}

TEST_CASE("expected outputs: between the samples, two signs that are wrong do not make up for each other") {
  std::vector<double> data(count, 1.0);
  Output exact = output("data", std::span(data));
  exact.relative = exact.absolute = 0;
  const ExpectedOutput expected = taken(exact, kept_bytes);
  const std::size_t between = kept_bytes / 4 / sizeof(double) + 1000;
  data[between] = data[between + 1] = -1;
  CHECK_THAT(expected.difference(), ContainsSubstring("on differ"));
}

TEST_CASE("expected outputs: one without elements never differs") {
  const Output none = output<float>("none", nullptr, 0);
  fill_output(none);
  const ExpectedOutput expected = taken(none, 0);
  CHECK(expected.difference().empty());
  CHECK(!expected.sampled());
}

}  // namespace contextual::expected_output_test

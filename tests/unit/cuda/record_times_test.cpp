#include "contextual/cuda/cupti/record_times.hpp"

#include "support/catch.hpp"

namespace contextual::cuda::record_times_test {

namespace {

IterationTiming iteration(std::int64_t after, std::int64_t up_to) {
  return {.note = {after, up_to}};
}

DeviceRecord kernel(std::int64_t begin, std::int64_t end, std::uint32_t correlation, int device = 0) {
  return {begin, end, device, correlation, true};
}

LaunchTiming launch_in(std::int64_t number, std::int64_t outer) {
  LaunchTiming timing;
  timing.note = ended_note(begun_note(number, outer));
  return timing;
}

LaunchTiming launch(std::int64_t number) {
  return launch_in(number, -1);
}

LaunchTiming never_ended(std::int64_t number) {
  LaunchTiming timing;
  timing.note = begun_note(number, -1);
  return timing;
}

CuptiSession::Taken taken_of(std::vector<DeviceRecord> records, std::vector<LaunchedCall> calls) {
  return {.records = std::move(records), .calls = std::move(calls)};
}

struct Assembled {
  std::vector<LaunchTiming> launches;
  std::vector<IterationTiming> iterations;
};

Assembled assembled(const CuptiSession::Taken& taken, std::vector<LaunchTiming> launches,
                    std::vector<IterationTiming> iterations = {}) {
  assemble(taken, launches, iterations);
  return {std::move(launches), std::move(iterations)};
}

}  // namespace

TEST_CASE("record times: a launch has the spans of all calls made inside it, on all devices") {
  CuptiSession::Taken taken = taken_of({kernel(100, 200, 7), kernel(150, 400, 8, 1), kernel(900, 950, 9)},
                                       {{7, true, 0}, {8, true, 0}, {9, true, 1}});
  const auto result = assembled(taken, {launch(0), launch(1), launch(2)});
  REQUIRE(result.launches[0].spans.size() == 2);
  CHECK(result.launches[0].spans[1].device == 1);
  CHECK(result.launches[0].spans[1].end_ns == 400);
  REQUIRE(result.launches[1].spans.size() == 1);
  CHECK(result.launches[2].spans.empty());  // it made no call
}

TEST_CASE(
    "record times: a kernel call without a record, or with a time of zero, leaves its launch without a "
    "time") {
  CuptiSession::Taken taken = taken_of({kernel(100, 200, 1), kernel(0, 0, 3), kernel(300, 300, 4)},
                                       {{1, true, 0}, {2, true, 0}, {3, true, 1}, {4, true, 2}});
  const auto result = assembled(taken, {launch(0), launch(1), launch(2)}, {iteration(0, 10)});
  for (const LaunchTiming& timing : result.launches) {
    CHECK(timing.spans.empty());
  }
  CHECK(result.iterations[0].makespan_ns == 0);
}

TEST_CASE("record times: a graph with kernels that name no call is never short") {
  const auto of_graph = [](DeviceRecord record, std::uint32_t graph) {
    record.graph = graph;
    return record;
  };
  // Launch 0 launches graph 5, which has a kernel before its loop; launch 1 graph 6; launch 2 a kernel.
  const std::vector<LaunchedCall> calls{{2, false, 0}, {3, false, 1}, {5, true, 2}};
  std::vector<DeviceRecord> records{of_graph(kernel(100, 200, 2), 5), of_graph(kernel(210, 700, 0), 5),
                                    of_graph(kernel(900, 950, 3), 6), kernel(1'000, 1'100, 5)};
  auto result = assembled(taken_of(records, calls), {launch(0), launch(1), launch(2)},
                          {iteration(1, 2), iteration(2, 3), iteration(4, 5)});
  CHECK(result.launches[0].spans.empty());
  CHECK_FALSE(result.launches[0].idle);
  CHECK(result.launches[1].spans.size() == 1);
  CHECK(result.launches[2].spans.size() == 1);
  CHECK(result.iterations[0].makespan_ns == 0);
  CHECK_FALSE(result.iterations[0].other_spans);
  CHECK(result.iterations[1].makespan_ns == 50);
  CHECK(result.iterations[2].makespan_ns == 100);

  // Graph 6 has nothing but a loop: its launch has no record, and may be in any iteration.
  records[2] = of_graph(kernel(900, 950, 0), 6);
  result = assembled(taken_of(records, calls), {launch(0), launch(1), launch(2)}, {iteration(4, 5)});
  CHECK(result.launches[1].spans.empty());
  CHECK_FALSE(result.launches[1].idle);
  CHECK(result.launches[2].spans.size() == 1);
  CHECK(result.iterations[0].makespan_ns == 0);

  // Of which graph they are is not known.
  records = {of_graph(kernel(100, 200, 2), 5), kernel(210, 700, 0), kernel(1'000, 1'100, 5)};
  result = assembled(taken_of(records, {calls[0], calls[2]}), {launch(0), launch(2)});
  CHECK(result.launches[0].spans.empty());
  CHECK(result.launches[1].spans.size() == 1);
}

TEST_CASE("record times: an empty copy inside a launch leaves no record and does no harm") {
  CuptiSession::Taken taken = taken_of({kernel(100, 200, 1)}, {{1, true, 0}, {2, false, 0}});
  CHECK(assembled(taken, {launch(0)}).launches[0].spans.size() == 1);
}

TEST_CASE("record times: a launch is idle if it made calls, and all of them only order work") {
  CuptiSession::Taken taken = taken_of({kernel(100, 200, 1)}, {{1, true, 0},
                                                               {2, false, 0, true},
                                                               {3, false, 1, true},
                                                               {4, true, 2},
                                                               {5, false, 2, true},
                                                               {6, false, 4},
                                                               {7, false, 4, true}});
  auto result = assembled(taken, {launch(0), launch(1), launch(2), launch(3), launch(4)});
  CHECK_FALSE(result.launches[0].idle);
  CHECK(result.launches[1].idle);
  CHECK_FALSE(result.launches[2].idle);  // a kernel has no record
  CHECK_FALSE(result.launches[3].idle);  // it made no call: perhaps another thread does
  CHECK_FALSE(result.launches[4].idle);  // a copy or a graph, whose record may be missing
  taken.lost = true;
  result = assembled(taken, {launch(1)});
  CHECK_FALSE(result.launches[0].idle);
}

TEST_CASE("record times: a makespan covers everything of its iteration, launches or not") {
  CuptiSession::Taken taken =
      taken_of({kernel(100, 200, 2), {50, 120, 0, 3, false}, kernel(180, 500, 4), kernel(600, 700, 5)},
               {{2, true, 0}});
  const auto result =
      assembled(taken, {launch(0)},
                {iteration(1, 4), iteration(4, 5), iteration(5, 9), iteration(0, 9), iteration(1, 0)});
  CHECK(result.iterations[0].makespan_ns == 450);
  CHECK(result.iterations[1].makespan_ns == 100);
  CHECK(result.iterations[2].makespan_ns == 0);
  CHECK(result.iterations[0].begin_ns == 50);
  CHECK(result.iterations[0].end_ns == 500);
  CHECK(result.iterations[2].begin_ns == 0);
  CHECK(result.iterations[2].end_ns == 0);
  CHECK(result.iterations[3].makespan_ns == 0);  // without a mark
  CHECK(result.iterations[4].makespan_ns == 0);
}

TEST_CASE("record times: a makespan that a missing kernel might lengthen is unknown, others are not") {
  CuptiSession::Taken taken = taken_of({kernel(100, 200, 2), kernel(600, 700, 5)},
                                       {{2, true, 0}, {3, true, 1}, {4, false, 1}, {5, true, 2}});
  const auto result = assembled(taken, {launch(0), launch(1), launch(2)}, {iteration(1, 4), iteration(4, 5)});
  CHECK(result.launches[0].spans.size() == 1);
  CHECK(result.iterations[0].makespan_ns == 0);
  CHECK(result.iterations[1].makespan_ns == 100);
}

TEST_CASE(
    "record times: a launch has what the launches inside it did, at any depth, and only once it ended") {
  CuptiSession::Taken taken =
      taken_of({kernel(100, 200, 1), kernel(300, 400, 2), kernel(500, 600, 3), kernel(700, 800, 4)},
               {{1, true, 5}, {2, true, 6}, {3, true, 7}, {4, true, 8}});
  const auto result = assembled(taken, {launch(5), launch_in(6, 5), launch_in(7, 6), never_ended(8)});
  CHECK(result.launches[0].spans.size() == 3);
  CHECK(result.launches[1].spans.size() == 2);
  CHECK(result.launches[2].spans.size() == 1);
  CHECK(result.launches[3].spans.empty());
}

TEST_CASE("record times: when something was lost nothing has a time") {
  CuptiSession::Taken taken = taken_of({kernel(100, 200, 1)}, {{1, true, 0}});
  taken.lost = true;
  const auto result = assembled(taken, {launch(0)}, {iteration(0, 1)});
  CHECK(result.launches[0].spans.empty());
  CHECK(result.iterations[0].makespan_ns == 0);
}

TEST_CASE("record times: what no launch did is other work of its iteration") {
  CuptiSession::Taken taken =
      taken_of({kernel(100, 200, 2), {50, 120, 1, 3, false}, kernel(180, 500, 4), kernel(600, 700, 6)},
               {{2, true, 0}, {4, true, 9}});  // the second of a launch that is not in the batch
  const auto result =
      assembled(taken, {launch(0)}, {iteration(1, 4), iteration(1, 2), iteration(4, 5), iteration(5, 9)});
  REQUIRE(result.iterations[0].other_spans);
  REQUIRE(result.iterations[0].other_spans->size() == 2);
  CHECK(result.iterations[0].other_spans->at(0).begin_ns == 50);
  CHECK(result.iterations[0].other_spans->at(0).end_ns == 120);
  CHECK(result.iterations[0].other_spans->at(0).device == 1);
  CHECK(result.iterations[0].other_spans->at(1).begin_ns == 180);
  REQUIRE(result.iterations[1].other_spans);
  CHECK(result.iterations[1].other_spans->empty());
  REQUIRE(result.iterations[2].other_spans);  // it did nothing
  CHECK(result.iterations[2].other_spans->empty());
  REQUIRE(result.iterations[3].other_spans);
  CHECK(result.iterations[3].other_spans->size() == 1);
}

TEST_CASE("record times: work of a launch without a time, or of an inner launch, is no other work") {
  CuptiSession::Taken taken =
      taken_of({kernel(100, 200, 2), kernel(300, 400, 3)}, {{2, true, 5}, {3, true, 6}});
  const auto result = assembled(taken, {never_ended(5), launch_in(6, 5)}, {iteration(1, 3)});
  CHECK(result.launches[0].spans.empty());
  REQUIRE(result.iterations[0].other_spans);
  CHECK(result.iterations[0].other_spans->empty());
}

TEST_CASE("record times: other work is unknown where a record is missing or has no time") {
  CuptiSession::Taken taken =
      taken_of({kernel(100, 200, 2), kernel(300, 300, 4), kernel(500, 600, 6)}, {{2, true, 0}, {3, true, 1}});
  const auto result = assembled(taken, {launch(0), launch(1)},
                                {iteration(1, 3), iteration(3, 4), iteration(4, 6), iteration(0, 2)});
  CHECK_FALSE(result.iterations[0].other_spans);  // call 3 has no record
  CHECK_FALSE(result.iterations[1].other_spans);  // the record of call 4 has no time
  CHECK(result.iterations[2].other_spans);
  CHECK_FALSE(result.iterations[3].other_spans);  // without a mark
  taken.lost = true;
  CHECK_FALSE(assembled(taken, {launch(0)}, {iteration(4, 6)}).iterations[0].other_spans);
}

}  // namespace contextual::cuda::record_times_test

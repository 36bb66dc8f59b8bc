#include "contextual/tuning/output_checks.hpp"

#include <contextual/communicator.hpp>
#include <contextual/detail/storage/warning.hpp>

#include <algorithm>
#include <utility>

namespace contextual::tuning {

using detail::BatchKind;
using detail::BatchResult;
using detail::ProblemSlot;

namespace {

std::string mebibytes(std::size_t bytes) {
  return std::to_string(bytes >> 20) + " MiB";
}

}  // namespace

void OutputChecks::refresh(const std::vector<std::shared_ptr<const detail::ChecksOfKernels>>& all) {
  groups_.remove_if(
      [&](const Group& group) { return std::find(all.begin(), all.end(), group.object) == all.end(); });
  for (const auto& object : all) {
    const bool known = std::any_of(groups_.begin(), groups_.end(),
                                   [&](const Group& group) { return group.object == object; });
    if (!known && !object->checks.outputs.empty()) {
      groups_.push_back({object, object->checks.outputs});
    }
  }
}

/// Other regions may keep something else in an object's buffers.
bool OutputChecks::in_region(const Group& group) const {
  const auto& slots = context_.slots();
  return group.object->of_all() || std::any_of(slots.begin(), slots.end(), [&](const ProblemSlot& slot) {
           return slot.joined() && group.object->concern(slot.problem.name);
         });
}

bool OutputChecks::launched(const Group& group, const BatchResult& result) const {
  const auto& slots = context_.slots();
  return group.object->of_all() || std::any_of(slots.begin(), slots.end(), [&](const ProblemSlot& slot) {
           return group.object->concern(slot.problem.name) && result.launched(slot.index);
         });
}

OutputChecks::Step OutputChecks::step_of(const Group& group, const Assignment& assignment,
                                         BatchKind kind) const {
  if (!in_region(group)) {
    return Step::nothing;
  }
  if (kind == BatchKind::final_run || !group.right.contains(assignment)) {
    return Step::check;
  }
  return assignment == group.expected_of && !group.repeated ? Step::repeat : Step::nothing;
}

void OutputChecks::find_room() {
  for (Group& group : groups_) {
    if (in_region(group) && group.expected.empty()) {
      find_room(group);
    }
  }
}

void OutputChecks::begin(const Assignment& assignment, BatchKind kind) {
  for (Group& group : groups_) {
    group.step = step_of(group, assignment, kind);
    group.same_configs = group.known && assignment == group.expected_of;
    group.written = false;
    if (group.step == Step::check) {
      warn_of_large(group);
      std::for_each(group.outputs.begin(), group.outputs.end(), fill_output);
    }
  }
}

void OutputChecks::note_difference(Group& group, const std::string& difference) {
  if (!std::exchange(group.differed, true)) {
    notes_.push_back(
        "region \"" + context_.region() +
        "\" does not repeat its results, so those of other configs cannot be judged: two runs with the same "
        "configs differ. " +
        difference +
        ". What the region adds to, works on in place, or swaps, as a pointer or a vector, has to be put "
        "back "
        "before each run (Options::restore, before_iteration); if it adds up in another order each time, "
        "give "
        "the output a tolerance. The choices are not kept for other processes");
  }
}

bool OutputChecks::repeat() const noexcept {
  return std::none_of(groups_.begin(), groups_.end(), [](const Group& group) { return group.differed; });
}

std::string OutputChecks::verdict(const BatchResult& result) {
  std::string verdict;
  for (Group& group : groups_) {
    group.written = group.step != Step::nothing && launched(group, result);
    if (!group.written) {
      continue;
    }
    for (const ExpectedOutput& expected : group.expected) {
      const std::string difference = group.known ? expected.difference() : std::string();
      if (difference.empty()) {
        continue;
      }
      if (group.same_configs) {
        note_difference(group, difference);
      } else if (verdict.empty()) {
        verdict = difference;
      }
    }
  }
  return verdict;
}

/// Small outputs are kept whole; of what is left, each large one gets its share.
void OutputChecks::find_room(Group& group) const {
  constexpr std::size_t small_bytes = std::size_t{1} << 20U;
  std::size_t small = 0;
  std::size_t large = 0;
  for (const Output& output : group.outputs) {
    (output.bytes() <= small_bytes ? small : large) += output.bytes();
  }
  const std::size_t left = most_kept_bytes - std::min(most_kept_bytes / 2, small);
  const double kept = std::min(1.0, static_cast<double>(left) / std::max(1.0, static_cast<double>(large)));
  std::list<ExpectedOutput> expected;
  for (const Output& output : group.outputs) {
    const auto kept_bytes = output.bytes() <= small_bytes || kept == 1.0
                                ? output.bytes()
                                : static_cast<std::size_t>(kept * static_cast<double>(output.bytes()));
    expected.emplace_back(output, kept_bytes, options_.communicator->rank());
  }
  group.expected = std::move(expected);
}

/// What is not written is lost, and nobody can see that before it happens.
void OutputChecks::warn_of_large(const Group& group) const {
  for (const Output& output : group.outputs) {
    const bool restored = std::any_of(options_.restore.begin(), options_.restore.end(),
                                      [&](const Restored& buffer) { return buffer.data == output.data; });
    if (output.bytes() > most_kept_bytes && !restored) {
      detail::warn_once("region \"" + context_.region() + "\": output \"" + output.name + "\", " +
                        mebibytes(output.bytes()) +
                        ", is now filled with 0xFF, and what the region does not write of it stays so. Name "
                        "only the part that is written, or also name the buffer in Options::restore");
    }
  }
}

void OutputChecks::expect(Group& group, const Assignment& assignment) {
  group.expected_of = assignment;
  group.known = true;
  auto next = group.expected.begin();
  for (const Output& output : group.outputs) {
    ExpectedOutput& expected = *next++;
    expected.take();
    const std::string name = "region \"" + context_.region() + "\", output \"" + output.name + "\": ";
    if (expected.sampled()) {
      notes_.push_back(name + "all outputs together have more than " + mebibytes(most_kept_bytes) +
                       ", so only " + std::to_string(expected.kept_count()) + " of its " +
                       std::to_string(output.count) + " elements are compared one by one");
    }
    if (expected.unwritten() > 0) {
      notes_.push_back(
          name + std::to_string(expected.unwritten()) + " of " + std::to_string(output.count) +
          " elements are NaN, or as they were filled, after the first run: the region has not written them, "
          "or "
          "has read what it was said only to write. What it also reads has to be put back before each run "
          "(Options::restore)");
    }
  }
}

std::vector<std::string> OutputChecks::end(const Assignment& assignment, bool succeeded) {
  for (Group& group : groups_) {
    if (!succeeded || !group.written) {
      continue;
    }
    if (group.step == Step::repeat) {
      group.repeated = true;
    } else {
      group.right.insert(assignment);
      if (!group.known) {
        expect(group, assignment);
      }
    }
  }
  return std::exchange(notes_, {});
}

}  // namespace contextual::tuning

#include "kernels/cuda/peers/failure_text.hpp"

#include "kernels/cuda/peers/peer_control.hpp"
#include "support/catch.hpp"

namespace contextual::kernels::cuda::failure_text_test {

TEST_CASE("a failure of several ranks is told in words that name the rank and the time") {
  const auto text = [](unsigned failure) { return failure_text(failure, std::chrono::milliseconds(2500)); };
  CHECK(text(PeerFailure::none).empty());
  CHECK(text(PeerFailure::aborted) == "the host ended the wait for the other ranks");
  CHECK(text(PeerFailure::not_arrived + 3) ==
        "rank 3 did not come to the call within 2.5 s of the call's first wait");
  CHECK(text(PeerFailure::rows_missing + 7) ==
        "rows of rank 7 did not arrive within 2.5 s of the call's first wait");
  CHECK(text(PeerFailure::not_done + 7) ==
        "rank 7 did not fetch this rank's rows within 2.5 s of the call's first wait");
  CHECK(text(PeerFailure::part_missing) ==
        "partial sums of rank 0 did not arrive within 2.5 s of the call's first wait");
  CHECK(text(PeerFailure::told_by + 1) == "rank 1 said that its call has failed");
  CHECK(failure_text(PeerFailure::not_arrived, std::chrono::seconds(10)) ==
        "rank 0 did not come to the call within 10 s of the call's first wait");
}

TEST_CASE("no two failures have the same number") {
  std::set<std::string> texts;
  unsigned known = 0;
  for (unsigned failure = 0; failure < 200; ++failure) {
    const std::string text = failure_text(failure, std::chrono::seconds(1));
    known += text.find("unknown") == std::string::npos ? 1 : 0;
    texts.insert(text);
  }
  CHECK(texts.size() == 200);
  CHECK(known == 2 + 5 * PeerControl::most_ranks);
}

}  // namespace contextual::kernels::cuda::failure_text_test

#include "contextual/agreement/request_agreement.hpp"

#include "contextual/agreement/agreed_failure.hpp"
#include "contextual/agreement/details_text.hpp"
#include "contextual/agreement/majority.hpp"
#include "contextual/launch/exception_text.hpp"

#include <contextual/detail/config/hex_text.hpp>
#include <contextual/error.hpp>

#include <nlohmann/json.hpp>

#include <array>

namespace contextual::agreement {
namespace {

/// Sets the header apart from those of a run.
constexpr const char* stage = "request of a KernelTuner";

[[noreturn]] void throw_mismatch(const std::string& what, std::vector<int> ranks) {
  throw RankMismatchError(what + ": call `tune` with the same requests in the same order on all ranks",
                          std::move(ranks));
}

std::string text_of(const AskedRequest& asked) {
  return "kernel \"" + asked.kernel + "\", " + asked.request + ", configs " + detail::hex_text(asked.configs);
}

/// Throws RankMismatchError if the ranks do not ask for the same.
void compare(const std::vector<std::string>& asked) {
  const Majority majority = majority_of(asked);
  for (std::size_t rank = 0; rank < asked.size(); ++rank) {
    if (asked[rank] != asked[majority.reference]) {
      throw_mismatch("the ranks tune different things: rank " + std::to_string(majority.reference) + " " +
                         asked[majority.reference] + "; rank " + std::to_string(rank) + " " + asked[rank],
                     majority.differing);
    }
  }
}

}  // namespace

std::vector<detail::Machine> agree_on_request(Exchange& exchange, const AskedRequest& asked,
                                              const std::exception_ptr& setup_failure) {
  Header header;
  header.set(Field::stage, text_digest(stage));
  header.raise(Flag::region_threw, setup_failure != nullptr);
  exchange.set_place({.region = asked.kernel, .stage = Stage::hello});
  const Agreement agreement = exchange.agree(header);
  if (agreement.elsewhere()) {
    throw_mismatch("kernel \"" + asked.kernel + "\": some ranks are at another point of the program", {});
  }
  if (agreement.raised(Flag::region_threw)) {
    throw_agreed_failure(
        exchange, asked.kernel,
        {setup_failure, setup_failure ? detail::exception_text(setup_failure) : std::string()});
  }
  const std::vector<std::string> told = exchange.gather(details_text(
      {{"asked", text_of(asked)}, {"machine", detail::this_machine()}, {"node", detail::node_text()}}));
  std::vector<std::string> all_asked;
  std::vector<detail::Machine> machines;
  std::vector<std::string> nodes;
  for (const std::string& text : told) {
    const nlohmann::json details = parse_details(text);
    all_asked.push_back(details.at("asked").get<std::string>());
    machines.push_back(details.at("machine").get<detail::Machine>());
    nodes.push_back(details.at("node").get<std::string>());
  }
  compare(all_asked);
  detail::add_ranks_per_node(machines, nodes);
  return machines;
}

std::string text_of_rank_0(Exchange& exchange, const std::string& text) {
  return exchange.gather(exchange.rank() == 0 ? text : std::string()).front();
}

bool all_agree(Exchange& exchange, bool agrees) {
  std::array<std::int64_t, 1> objections{agrees ? 0 : 1};
  exchange.max(objections);
  return objections[0] == 0;
}

}  // namespace contextual::agreement

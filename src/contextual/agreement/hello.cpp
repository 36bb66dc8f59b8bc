#include "contextual/agreement/hello.hpp"

#include "contextual/agreement/details_text.hpp"
#include "contextual/agreement/kernels_digest.hpp"
#include "contextual/agreement/majority.hpp"
#include "contextual/agreement/region_agreement.hpp"
#include "contextual/launch/exception_text.hpp"

#include <contextual/detail/config/hex_text.hpp>
#include <contextual/detail/config/stable_hash.hpp>
#include <contextual/detail/storage/machine.hpp>
#include <contextual/error.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <sstream>
#include <vector>

namespace contextual::agreement {
namespace {

/// One line for each thing that all ranks must know and that must be equal on them. Ranks compare a digest of
/// the lines. If it differs, they gather the lines, and the error names those that differ.
std::string lines_of(const std::string& region, const options::ResolvedOptions& options) {
  std::string lines =
      "protocol=" + std::to_string(Exchange::protocol_version) + "\nregion=\"" + region + "\"";
  for (const std::string& item : options.agreed_items()) {
    lines += "\n" + item;
  }
  return lines;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

/// Names what some rank says otherwise than most.
std::string difference(const std::vector<std::string>& texts) {
  const std::size_t reference = majority_of(texts).reference;
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    const std::vector<std::string> ours = split(texts[reference]);
    const std::vector<std::string> theirs = split(texts[rank]);
    if (ours == theirs || ours.size() != theirs.size()) {
      continue;  // another number of lines: it is not in a hello
    }
    std::string has = "rank " + std::to_string(reference) + " has";
    std::string other_has = "rank " + std::to_string(rank) + " has";
    for (std::size_t i = 0; i < ours.size(); ++i) {
      if (ours[i] != theirs[i]) {
        has.append(" ").append(ours[i]);
        other_has.append(" ").append(theirs[i]);
      }
    }
    return has.append(", ").append(other_has);
  }
  return "they are at different points of the program";
}

/// What this process would call a tuning run; positive, and not the same twice.
std::int64_t new_tuning_number() {
  static std::atomic<std::uint64_t> next{0};
  const auto now = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  const auto process = static_cast<std::uint64_t>(getpid());
  return static_cast<std::int64_t>(
      detail::StableHash().add(now).add(process).add(next.fetch_add(1)).value() >> 1);
}

[[noreturn]] void throw_difference(agreement::Exchange& exchange, const std::string& region,
                                   const std::string& lines) {
  const auto texts = exchange.gather(lines);
  throw RankMismatchError(
      "region \"" + region +
          "\" was not run, because the ranks are about to do different things: " + difference(texts) +
          ". Call `run` with the same regions in the same order, with the same options and "
          "environment, on all ranks",
      majority_of(texts).differing);
}

/// What a rank says of its times where those of the ranks cannot be compared.
constexpr std::string_view no_times = "nothing is tuned";
constexpr std::string_view by = "by ";                // and the timer's name, and
constexpr std::string_view gives_way = ", else by ";  // the name of the one that it can give way to

[[noreturn]] void throw_some_tune(const std::string& region, const std::vector<std::string>& times) {
  const auto first = [&](const auto& wanted) {
    return std::to_string(std::find_if(times.begin(), times.end(), wanted) - times.begin());
  };
  throw RankMismatchError("region \"" + region +
                              "\" was not run, because the ranks are about to do different things: rank " +
                              first([](const std::string& text) { return text == no_times; }) +
                              " calls `load`, or runs it in a mode in which nothing is tuned, and rank " +
                              first([](const std::string& text) { return text.starts_with(by); }) +
                              " tunes it. Call `load` and `run` with the same regions in the same order, in "
                              "the same mode, on all "
                              "ranks",
                          majority_of(times).differing);
}

[[noreturn]] void throw_other_timers(const std::string& region, const std::vector<std::string>& times) {
  std::string list;
  for (std::size_t rank = 0; rank < times.size(); ++rank) {
    if (!times[rank].empty()) {
      list.append(list.empty() ? "rank " : ", rank ")
          .append(std::to_string(rank))
          .append(" ")
          .append(times[rank]);
    }
  }
  throw RankMismatchError("region \"" + region +
                              "\": ranks would measure by different timers, whose times cannot be "
                              "compared: " +
                              list + ". Give all ranks the same option `timer`",
                          majority_of(times).differing);
}

/// Returns the first timer that each of these ranks has or can give way to, or nothing.
std::string common_timer(const std::vector<std::string>& times) {
  const auto has = [](const std::string& text, const std::string& timer) {
    const std::string own = std::string(by) + timer;
    return text.empty() || text == own || text.starts_with(own + std::string(gives_way)) ||
           text.ends_with(std::string(gives_way) + timer);
  };
  for (const std::string& text : times) {
    if (const std::size_t at = text.find(gives_way); at != std::string::npos) {
      std::string timer = text.substr(at + gives_way.size());
      if (std::all_of(times.begin(), times.end(),
                      [&](const std::string& other) { return has(other, timer); })) {
        return timer;
      }
    }
  }
  return {};
}

/// Returns the timer that the ranks agree on.
std::string agree_on_timer(agreement::Exchange& exchange, const std::string& region, const Arrival& arrival) {
  std::string own;  // empty if nothing is left to time
  if (!arrival.locked_in) {
    own = arrival.timer.empty() ? std::string(no_times) : std::string(by).append(arrival.timer);
    if (!arrival.substitute.empty()) {
      own.append(gives_way).append(arrival.substitute);
    }
  }
  const auto times = exchange.gather(own);
  if (std::find(times.begin(), times.end(), no_times) != times.end()) {
    throw_some_tune(region, times);
  }
  std::string timer = common_timer(times);
  if (timer.empty()) {
    throw_other_timers(region, times);
  }
  return timer;
}

/// A rank's surroundings, as far as rank 0 has to know them.
struct Surroundings {
  detail::Machine machine;
  std::string node;
  std::string kernels;

  std::uint64_t digest(std::string_view timer) const {
    return detail::StableHash()
        .add(timer)
        .add(detail::machine_digest(machine))
        .add(std::string_view(node))
        .add(std::string_view(kernels))
        .value();
  }
};

Surroundings surroundings() {
  return {detail::this_machine(), detail::node_text(), kernels_digest()};
}

/// What a gather would tell where all ranks have the same surroundings.
void assume_alike(std::size_t ranks, const Surroundings& own, Hello& hello) {
  hello.machines.assign(ranks, own.machine);
  hello.kernels.assign(ranks, own.kernels);
  detail::add_ranks_per_node(hello.machines, std::vector<std::string>(ranks, own.node));
}

/// All ranks come, because they have seen the same flags.
void gather_kept(Exchange& exchange, const Surroundings& here, const Arrival& own, Hello& hello) {
  const auto texts = exchange.gather(details_text({{"machine", here.machine},
                                                   {"node", here.node},
                                                   {"kernels", here.kernels},
                                                   {"journal", own.journal}}) +
                                     "\n" + own.kept_choices);
  std::vector<std::string> nodes;
  for (const std::string& text : texts) {
    const nlohmann::json details = parse_details(text.substr(0, text.find('\n')));
    const bool complete = details.is_object() && details.contains("machine");
    hello.machines.push_back(complete ? details.at("machine").get<detail::Machine>() : detail::Machine());
    hello.kernels.push_back(complete ? details.value("kernels", std::string()) : std::string());
    nodes.push_back(complete ? details.value("node", std::string()) : std::string());
    if (complete && hello.machines.size() == 1) {
      hello.journal = details.value("journal", std::string());
      hello.kept_choices = text.substr(text.find('\n') + 1);
    }
  }
  detail::add_ranks_per_node(hello.machines, nodes);
}

}  // namespace

Hello exchange_hello(Exchange& exchange, const std::string& region, const options::ResolvedOptions& options,
                     const Arrival& arrival) {
  const std::string lines = lines_of(region, options);
  Header header;
  header.set(Field::stage, text_digest(to_string(Stage::hello)));
  header.set(Field::region, text_digest(region));
  header.set(Field::options, text_digest(lines));
  header.set(Field::plan, text_digest(arrival.timer));
  if (arrival.locked_in) {
    header.abstain(Field::plan);
  }
  header.raise(Flag::region_threw, arrival.setup_failure != nullptr);
  header.raise(arrival.locked_in ? Flag::locked_in : Flag::not_locked_in);
  header.raise(Flag::rejections, arrival.choice_failed);
  header.raise(Flag::keeps_choices, arrival.keeps_choices);
  const bool rank0 = exchange.rank() == 0;
  header.raise(Flag::keeps_journal, arrival.keeps_journal);
  header.raise(Flag::copies_buffers, arrival.copies_buffers);
  header.raise(Flag::has_kept, rank0 && (!arrival.kept_choices.empty() || !arrival.journal.empty()));
  std::optional<Surroundings> here;  // of a rank that has no directory for them, they count as others
  if (options.mode == Mode::tune && !arrival.locked_in && options.has_kept_choices()) {
    here = surroundings();
    header.set(Field::kept, here->digest(arrival.timer));
  }
  header.offer(rank0 ? new_tuning_number() : 0);
  exchange.set_place({.region = region, .stage = Stage::hello});
  const Agreement agreement = exchange.agree(header);
  if (agreement.elsewhere()) {
    throw_difference(exchange, region, lines);
  }
  if (agreement.raised(Flag::region_threw)) {
    const std::exception_ptr& failure = arrival.setup_failure;
    throw_agreed_failure(exchange, region,
                         {failure, failure ? detail::exception_text(failure) : std::string(), std::nullopt});
  }
  if (agreement.differs(Field::region) || agreement.differs(Field::options)) {
    throw_difference(exchange, region, lines);
  }
  const std::string timer =
      agreement.differs(Field::plan) ? agree_on_timer(exchange, region, arrival) : std::string();
  const bool choice_failed = agreement.raised(Flag::rejections);
  Hello hello{detail::hex_text(static_cast<std::uint64_t>(agreement.largest_offer())),
              !agreement.raised(Flag::not_locked_in) && !choice_failed,
              agreement.raised(Flag::locked_in),
              agreement.raised(Flag::keeps_choices),
              choice_failed,
              agreement.raised(Flag::keeps_journal) && timer.empty(),
              agreement.raised(Flag::copies_buffers),
              timer};
  const bool tells = agreement.raised(Flag::has_kept);
  if (tells || (agreement.raised(Flag::keeps_choices) && agreement.differs(Field::kept))) {
    gather_kept(exchange, here ? *here : surroundings(), arrival, hello);
  } else if (agreement.raised(Flag::keeps_choices) && here) {
    assume_alike(static_cast<std::size_t>(exchange.size()), *here, hello);
  }
  return hello;
}

}  // namespace contextual::agreement

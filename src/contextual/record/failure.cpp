#include "contextual/record/failure.hpp"

#include "contextual/launch/exception_text.hpp"

namespace contextual::record {

std::optional<TuningFailedError> tuning_failure(const std::exception_ptr& thrown) {
  try {
    if (thrown) {
      std::rethrow_exception(thrown);
    }
  } catch (const TuningFailedError& error) {
    return error;
  } catch (...) {
    return std::nullopt;
  }
  return std::nullopt;
}

Failure describe(const std::exception_ptr& thrown, int own_rank) {
  const std::string text = detail::exception_text(thrown);
  try {
    std::rethrow_exception(thrown);
  } catch (const CommunicationError& error) {
    return {text, "CommunicationError", error.missing_ranks()};
  } catch (const RegionFailedError& error) {
    return {text, "RegionFailedError", {error.failed_rank()}};
  } catch (const RankMismatchError& error) {
    return {text, "RankMismatchError", error.differing_ranks()};
  } catch (const TuningFailedError& error) {
    return {text, "TuningFailedError", error.failed_ranks()};
  } catch (const InvalidArgument&) {
    return {text, "InvalidArgument", {own_rank}};
  } catch (const ConfigSpaceError&) {
    return {text, "ConfigSpaceError", {own_rank}};
  } catch (const Error&) {
    return {text, "Error", {own_rank}};
  } catch (...) {
    return {text, "region", {own_rank}};
  }
}

}  // namespace contextual::record

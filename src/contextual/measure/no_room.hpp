#pragma once

/// \file
/// Memory for copies of the user's buffers, which may be large.

#include <contextual/error.hpp>

#include <cstddef>
#include <exception>
#include <new>
#include <string>

namespace contextual::measure {

[[noreturn]] void throw_no_room(const std::string& buffer, std::size_t bytes, int rank,
                                const std::string& cause);

/// Calls `allocate`. Throws Error if that finds no memory, of the host or of a device: it says for which
/// buffer, how much, and on which rank. A lost device is thrown as it is.
template <typename Allocate>
void with_room(const std::string& buffer, std::size_t bytes, int rank, const Allocate& allocate) {
  try {
    allocate();
  } catch (const DeviceError&) {
    throw;
  } catch (const Error& error) {
    throw_no_room(buffer, bytes, rank, error.what());
  } catch (const std::bad_alloc& error) {
    throw_no_room(buffer, bytes, rank, error.what());
  }
}

}  // namespace contextual::measure

#include "contextual/sync/mpi/mpi_check.hpp"

#include <contextual/error.hpp>

#include <array>
#include <string>

namespace contextual::sync {

void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) {
    return;
  }
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) {
    length = 0;
  }
  throw CommunicationError("MPI: " + std::string(call) + " failed with " + std::to_string(code) + ": " +
                               std::string(text.data(), static_cast<std::size_t>(length)),
                           {});
}

}  // namespace contextual::sync

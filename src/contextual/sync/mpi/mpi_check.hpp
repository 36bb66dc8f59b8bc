#pragma once

#include <mpi.h>

namespace contextual::sync {

/// Throws CommunicationError, with the failing call and MPI's text, unless `code` is MPI_SUCCESS.
void check_mpi(int code, const char* call);

}  // namespace contextual::sync

/// Calls MPI and throws CommunicationError if the call fails.
#define CONTEXTUAL_MPI(call) ::contextual::sync::check_mpi((call), #call)

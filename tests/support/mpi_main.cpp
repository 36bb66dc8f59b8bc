// Main of tests that run as several ranks. Every rank runs the same test cases in the same order; rank 0
// alone reports what went well.

#define CATCH_CONFIG_RUNNER
#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <mpi.h>

#include <cstdio>
#include <iostream>
#include <sstream>

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::ostringstream quiet;
  std::streambuf* const terminal = rank == 0 ? nullptr : std::cout.rdbuf(quiet.rdbuf());
  int failed = 0;
  {
    Catch::Session session;
    failed = session.run(argc, argv);
  }
  if (terminal != nullptr) {
    std::cout.rdbuf(terminal);
    if (failed != 0) {
      std::cout << "rank " << rank << ":\n" << quiet.str() << std::flush;
    }
  }
  if (failed != 0) {
    std::fflush(nullptr);
    MPI_Abort(MPI_COMM_WORLD, 1);  // the others may wait for this rank
  }
  MPI_Finalize();
  return 0;
}

/// \file
/// Jacobi steps on a grid whose rows are spread unevenly over the ranks. All ranks use one config of the
/// stencil: its key is the most rows of any rank, which is equal on all of them. The steps change their
/// state, so each run of the region begins with what was saved.
///
///     mpirun -n 2 uneven_shards

#include <contextual/autotuner.hpp>
#include <contextual/config_space.hpp>
#include <contextual/kernel.hpp>
#include <contextual/key.hpp>
#include <contextual/mpi.hpp>

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <iostream>
#include <utility>
#include <vector>

namespace {

struct Tile {
  int rows = 1, columns = 4096;
};

constexpr int columns = 1026;  // the first and the last one are boundaries
constexpr int all_rows = 1000;

/// The rows of one rank, with a row of each neighbour around them.
struct Shard {
  int rank = 0;
  int ranks = 1;
  int rows = 0;
  std::vector<double> now;
  std::vector<double> next;

  double* row(int i) { return &now[static_cast<std::size_t>(i) * columns]; }
};

/// The first rank has half as many rows again as the others.
Shard make_shard(int rank, int ranks) {
  const int usual = 2 * all_rows / (2 * ranks + 1);
  Shard shard{rank, ranks, rank == 0 ? all_rows - (ranks - 1) * usual : usual, {}, {}};
  shard.now.assign(static_cast<std::size_t>(shard.rows + 2) * columns, 0);
  for (int i = 0; i < shard.rows + 2; ++i) {
    shard.row(i)[0] = 100;
  }
  shard.next = shard.now;
  return shard;
}

void exchange_rows(Shard& shard) {
  const int above = shard.rank == 0 ? MPI_PROC_NULL : shard.rank - 1;
  const int below = shard.rank + 1 == shard.ranks ? MPI_PROC_NULL : shard.rank + 1;
  MPI_Sendrecv(shard.row(1), columns, MPI_DOUBLE, above, 0, shard.row(shard.rows + 1), columns, MPI_DOUBLE,
               below, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(shard.row(shard.rows), columns, MPI_DOUBLE, below, 1, shard.row(0), columns, MPI_DOUBLE, above,
               1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void jacobi(const Tile& tile, Shard& shard) {
  for (int i0 = 1; i0 <= shard.rows; i0 += tile.rows) {
    for (int j0 = 1; j0 < columns - 1; j0 += tile.columns) {
      for (int i = i0; i < std::min(i0 + tile.rows, shard.rows + 1); ++i) {
        const double* here = shard.row(i);
        double* out = &shard.next[static_cast<std::size_t>(i) * columns];
        for (int j = j0; j < std::min(j0 + tile.columns, columns - 1); ++j) {
          out[j] = 0.25 * (here[j - 1] + here[j + 1] + here[j - columns] + here[j + columns]);
        }
      }
    }
  }
  std::swap(shard.now, shard.next);
}

double heat(const Shard& shard) {
  double sum = 0;
  for (std::size_t i = columns; i < shard.now.size() - columns; ++i) {
    sum += shard.now[i];
  }
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

int run() {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Shard shard = make_shard(rank, ranks);
  int most_rows = shard.rows;
  MPI_Allreduce(MPI_IN_PLACE, &most_rows, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);

  contextual::TunableKernel stencil{
      "stencil",
      contextual::ConfigSpace<Tile>{{"BLOCK_ROWS", &Tile::rows, {1, 8}},
                                    {"BLOCK_COLUMNS", &Tile::columns, {4096, 256}}},
      [most_rows](const Shard&) { return contextual::make_key(most_rows, columns); },
      jacobi,
      {.key_names = {"MOST_ROWS", "COLUMNS"}}};
  const auto step = [&] {
    for (int i = 0; i < 4; ++i) {
      exchange_rows(shard);
      stencil(shard);
    }
  };

  const std::vector<double> saved = shard.now;  // the boundaries of both grids stay
  contextual::ContextualAutotuner tuner{
      {.communicator = contextual::mpi_world(),
       .before_iteration = [&](const contextual::IterationInfo&) { shard.now = saved; }}};
  tuner.run("jacobi", step);
  const double tuned = heat(shard);

  shard.now = saved;
  step();  // with what was chosen
  const double again = heat(shard);
  if (rank == 0) {
    std::cout << tuner.report("jacobi").choices_text() << "the first rank has " << shard.rows << " of "
              << all_rows << " rows; heat " << tuned << ", again " << again << "\n";
  }
  return std::abs(tuned - again) <= 1e-9 * again ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    const int code = run();
    MPI_Finalize();
    return code;
  } catch (const std::exception& error) {
    std::cerr << "uneven_shards: " << error.what() << "\n";
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return 1;
}

// GEMM reduce-scatter: every rank has columns of A and the same rows of B, so its product is one addend of A
// B. The addends are summed, and each rank gets its rows of the sum, while the GEMM still computes others.

#include "distributed_matrix.hpp"
#include "distributed_rounds.hpp"
#include "support/catch.hpp"

#include <contextual/kernels/host/kernels.hpp>
#include <contextual/kernels/host/side_by_side.hpp>
#include <contextual/kernels/mpi/kernels.hpp>
#include <contextual/kernels/mpi/message_set.hpp>

namespace contextual::test::distributed::gemm_reduce_scatter_test {

namespace {

namespace kernels = kernels;

constexpr std::uint64_t matrix_a = 3;
constexpr std::uint64_t matrix_b = 4;
constexpr long n = 640;
constexpr long k = 256;

class GemmReduceScatter {
 public:
  GemmReduceScatter() : communicator_(kernels::own_communicator(MPI_COMM_WORLD)) {}
  GemmReduceScatter(const GemmReduceScatter&) = delete;
  GemmReduceScatter& operator=(const GemmReduceScatter&) = delete;
  ~GemmReduceScatter() { MPI_Comm_free(&communicator_); }

  void new_data(std::uint64_t round) {
    round_ = round;
    a_.fill(matrix_a, round, 0, rank_ * a_.cols);
    b_.fill(matrix_b, round, rank_ * b_.rows, 0);
    whole_b_.fill(matrix_b, round);
  }

  void spoil(std::uint64_t round) {
    partial_.spoil(round);
    workspace_.spoil(round + 1);
    out_.spoil(round);
    computed_.reset();
  }

  void run() {
    kernels::side_by_side(
        computed_,
        [&] {
          kernels::reduce_scatter()({.communicator = communicator_,
                                     .partial = partial_.data(),
                                     .workspace = workspace_.data(),
                                     .out = out_.data(),
                                     .rows = out_.rows,
                                     .cols = n,
                                     .flags = &computed_});
        },
        [&] {
          kernels::flagged_gemm()(
              {.gemm = {a_.data(), b_.data(), partial_.data(), a_.rows, n, a_.cols, a_.cols, n, n, false},
               .shards = ranks_,
               .own_shard = rank_,
               .sets = &computed_});
        });
  }

  double sampled_error() {
    if (!out_.all_finite()) {
      return std::numeric_limits<double>::infinity();
    }
    return worst_of(sample_rows(out_.rows, 1, engine_), [&](long row) { return error_of(row); });
  }

  double full_error() const {
    return worst_of(all_rows(out_.rows), [&](long row) { return error_of(row); });
  }

 private:
  /// `row` of this rank's share.
  double error_of(long row) const {
    const long whole_row = rank_ * out_.rows + row;
    return row_error(out_.row(row), whole_b_, whole_b_.rows,
                     [&](long p) { return value_at(matrix_a, round_, whole_row, p); });
  }

  MPI_Comm communicator_;
  int rank_ = world_rank();
  int ranks_ = world_size();
  std::uint64_t round_ = 0;
  std::mt19937 engine_{static_cast<unsigned>(rank_)};
  Matrix out_{rows_per_rank(), n};
  Matrix a_{ranks_ * out_.rows, k / ranks_};
  Matrix b_{k / ranks_, n};
  Matrix whole_b_{k / ranks_ * ranks_, n};
  Matrix partial_{a_.rows, n};
  Matrix workspace_{a_.rows, n};
  kernels::RowFlags computed_{a_.rows};
};

}  // namespace

TEST_CASE(
    "GEMM reduce-scatter: every run is right with defaults, while tuning and tuned, and ranks choose alike") {
  check_rounds<GemmReduceScatter>("gemm_reduce_scatter");
}

}  // namespace contextual::test::distributed::gemm_reduce_scatter_test

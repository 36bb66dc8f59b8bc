// All-gather GEMM: every rank has rows of A and columns of B, and computes all rows of its columns of A B.
// The gather and the GEMM run at the same time.

#include "distributed_matrix.hpp"
#include "distributed_rounds.hpp"
#include "support/catch.hpp"

#include <contextual/kernels/host/kernels.hpp>
#include <contextual/kernels/host/side_by_side.hpp>
#include <contextual/kernels/mpi/kernels.hpp>
#include <contextual/kernels/mpi/message_set.hpp>

namespace contextual::test::distributed::allgather_gemm_test {

namespace {

namespace kernels = kernels;

constexpr std::uint64_t matrix_a = 1;
constexpr std::uint64_t matrix_b = 2;
constexpr long n = 640;
constexpr long k = 256;

class AllGatherGemm {
 public:
  AllGatherGemm() : communicator_(kernels::own_communicator(MPI_COMM_WORLD)) {}
  AllGatherGemm(const AllGatherGemm&) = delete;
  AllGatherGemm& operator=(const AllGatherGemm&) = delete;
  ~AllGatherGemm() { MPI_Comm_free(&communicator_); }

  void new_data(std::uint64_t round) {
    round_ = round;
    shard_.fill(matrix_a, round, rank_ * shard_.rows, 0);
    b_.fill(matrix_b, round, 0, rank_ * b_.cols);
  }

  /// Also what the gather writes: or rows of the run before would hide that the GEMM did not wait.
  void spoil(std::uint64_t round) {
    gathered_.spoil(round);
    c_.spoil(round + 1);
    arrived_.reset();
  }

  void run() {
    kernels::side_by_side(
        arrived_,
        [&] {
          kernels::all_gather()({.communicator = communicator_,
                                 .shard = shard_.data(),
                                 .full = gathered_.data(),
                                 .rows = shard_.rows,
                                 .cols = k,
                                 .flags = &arrived_});
        },
        [&] {
          kernels::flagged_gemm()({.gemm = {gathered_.data(), b_.data(), c_.data(), c_.rows, c_.cols, k, k,
                                            b_.cols, c_.cols, false},
                                   .shards = ranks_,
                                   .own_shard = rank_,
                                   .waits_for = &arrived_});
        });
  }

  double sampled_error() {
    if (!c_.all_finite()) {
      return std::numeric_limits<double>::infinity();
    }
    return worst_of(sample_rows(c_.rows, ranks_, engine_), [&](long row) { return error_of(row); });
  }

  double full_error() const {
    return worst_of(all_rows(c_.rows), [&](long row) { return error_of(row); });
  }

 private:
  double error_of(long row) const {
    return row_error(c_.row(row), b_, k, [&](long p) { return value_at(matrix_a, round_, row, p); });
  }

  MPI_Comm communicator_;
  int rank_ = world_rank();
  int ranks_ = world_size();
  std::uint64_t round_ = 0;
  std::mt19937 engine_{static_cast<unsigned>(rank_)};
  Matrix shard_{rows_per_rank(), k};
  Matrix gathered_{ranks_ * shard_.rows, k};
  kernels::RowFlags arrived_{gathered_.rows};
  Matrix b_{k, n / ranks_};
  Matrix c_{gathered_.rows, b_.cols};
};

}  // namespace

TEST_CASE(
    "all-gather GEMM: every run is right with defaults, while tuning and tuned, and ranks choose alike") {
  check_rounds<AllGatherGemm>("allgather_gemm");
}

}  // namespace contextual::test::distributed::allgather_gemm_test

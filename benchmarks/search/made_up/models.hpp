#pragma once

/// \file
/// Makes the models of all made-up regions.

#include "search/made_up/model.hpp"
#include "search/random_numbers.hpp"

#include <memory>

namespace search_replay::made_up {

/// Kernels on two or three streams that do not disturb each other: problem p is on stream p modulo their
/// number. The makespan is the longest stream, so the best assignment has the fastest config of every kernel.
std::unique_ptr<Model> make_streams(RandomNumbers& random);

/// The same, but a third of the configs of each kernel are equally fast, a third are 10 % slower, a third
/// 20 %.
std::unique_ptr<Model> make_ties(RandomNumbers& random);

/// Kernels that run at the same time. If they together occupy more multiprocessors than the device has, all
/// are slowed down by that factor. The makespan is the longest kernel.
///
/// The best assignment: with a limit on the own times alone, it is best to let every kernel occupy as few
/// multiprocessors as the limit allows. So only the own times of all configs have to be tried as the limit.
std::unique_ptr<Model> make_shared_sms(RandomNumbers& random);

/// Kernels of which some configs help only together, such as two that agree on the layout between them.
/// Problems 0 and 1, 2 and 3, and so on form pairs, one after the other; the makespan is the sum of all own
/// times. Some configs of each kernel, never a default, are marked. If both configs of a pair are marked,
/// both take 20 % less time; if one is, both take 5 % more, so a search that changes one problem at a time
/// sees no gain.
///
/// The best makespan is the sum of the best of each pair, of which all are tried.
std::unique_ptr<Model> make_helping_pairs(RandomNumbers& random);

/// Two kernels that wait for each other and must fit on the device together: problems 0 and 1 run at the same
/// time, the others after them, so the makespan is the longer of the two and the sum of the others. 40 % of
/// the pairs of configs of 0 and 1 are infeasible: those that demand the most of the device together. A
/// config that demands more is usually faster. The defaults of 0 and 1 demand the least.
///
/// The best makespan is that of the best feasible pair, of which all are tried, with the fastest configs of
/// the others.
std::unique_ptr<Model> make_infeasible_pairs(RandomNumbers& random);

/// The same, but the defaults of 0 and 1 demand the most.
std::unique_ptr<Model> make_infeasible_defaults(RandomNumbers& random);

/// Two kernels beside each other whose best numbers of multiprocessors lie between those of a coarse grid.
/// Both have 12 tiles, by 4 coarse and 29 fine numbers of multiprocessors. A pair that needs more
/// multiprocessors together than the device has is infeasible, the defaults among them; the makespan is the
/// longer own time. So the multiprocessors have to be divided in the ratio of the kernels' work.
///
/// The fine numbers are refinements. The best makespan is that of the best feasible pair of all numbers, of
/// which all are tried.
std::unique_ptr<Model> make_fine_grids(RandomNumbers& random);

/// The same, with the same best makespan, but a search is given the coarse numbers only.
std::unique_ptr<Model> make_fine_grids_coarse(RandomNumbers& random);

/// The same, with all numbers as ordinary configs.
std::unique_ptr<Model> make_fine_grids_all(RandomNumbers& random);

/// A transfer of 8 configs beside a kernel of 28 that waits for it, as in the recorded regions: 40 % of the
/// pairs are infeasible, one or two are within 1 % of the best one, and a fifth of the pairs take two values.
std::unique_ptr<Model> make_close_pairs(RandomNumbers& random);

/// The same transfer and kernel: 84 of the 224 pairs are infeasible, the defaults among them. Two of the
/// twenty pairs that the configs make likely to be good are at least 4 % shorter than all others.
std::unique_ptr<Model> make_two_best(RandomNumbers& random);

/// Two kernels on two streams, each on 132, 100, 66 or 33 multiprocessors, which it has to itself. Which of
/// them starts first is a race wherever both do not fit side by side: such a pair takes two values, of which
/// the shorter one may be less than the best steady makespan. The defaults, which take the whole device each,
/// are steady and slow.
std::unique_ptr<Model> make_racing_streams(RandomNumbers& random);

}  // namespace search_replay::made_up

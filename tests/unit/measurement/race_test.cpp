// The result among splits that ran against each other, by values that the test gives.
#include "measurement/optimize.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <vector>

namespace hpart
{
namespace
{

class NeverRun final : public Kernel
{
  public:
    void prepare(const Slice & /*slice*/) override {}
    void run() override {}
    void release() noexcept override {}
};

// The winner of two splits whose runs take these values, in turns. certified: the first one's certificate.
std::size_t winner_of(const std::vector<double> &first, const std::vector<double> &second, bool certified)
{
    Team team;
    for (const auto *name : {"A", "B"}) team.add({name, std::make_unique<NeverRun>(), {}});
    OptimizeRequest request;
    request.rules.precision = 0.05;
    request.max_total_seconds = std::numeric_limits<double>::infinity();
    request.race.min_repetitions = request.race.max_repetitions = static_cast<std::int64_t>(first.size());
    Optimum out;
    out.certificate.certified = certified;
    out.rivals = {{"optimal", {1, 3}}, {"equal", {2, 2}}};
    std::size_t runs_of_first = 0, runs_of_second = 0;
    run_race(out, team, request, Budget(request.max_total_seconds), Poll(), [&](const std::vector<Slice> &slices) {
        return slices[0].rows == 1 ? first.at(runs_of_first++) : second.at(runs_of_second++);
    });
    return out.winner;
}

TEST(Race, WithoutACertificateTheRunsDecide)
{
    const std::vector<double> scattered{1, 9, 1, 9}, less{2, 1, 2, 1}, hardly_less{1, 8.9, 1, 8.9},
        known{9, 9.1, 9, 9.1};
    EXPECT_EQ(winner_of(scattered, less, false), 1U);
    EXPECT_EQ(winner_of(scattered, hardly_less, false), 0U);
    EXPECT_EQ(winner_of(less, scattered, false), 0U);
    // A certificate stands until the runs refute it.
    EXPECT_EQ(winner_of(scattered, less, true), 0U);
    EXPECT_EQ(winner_of(known, less, true), 1U);
}

} // namespace
} // namespace hpart

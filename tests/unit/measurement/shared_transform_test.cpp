// The kernel fft2d: one transform by all processors of a team, against the sum that defines it.
#include "core/error.hpp"
#include "kernels/kinds.hpp"
#include "kernels/registry.hpp"
#include "measurement/measure.hpp"
#include "measurement/queues.hpp"

#include "calls.hpp"
#include "fake_kernel.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

namespace hpart
{
namespace
{

using Complex = std::complex<double>;

Complex point_of_transform(std::int64_t height, std::int64_t n, std::int64_t u, std::int64_t v)
{
    Complex sum = 0;
    for (std::int64_t r = 0; r < height; ++r)
        for (std::int64_t c = 0; c < n; ++c) {
            const auto at = static_cast<std::uint64_t>(2 * (r * n + c));
            const Complex value(pseudo_random(RandomArray::fft_signal, at),
                                pseudo_random(RandomArray::fft_signal, at + 1));
            sum += value * std::polar(1.0, -2 * std::numbers::pi *
                                               (static_cast<double>(u * r) / static_cast<double>(height) +
                                                static_cast<double>(v * c) / static_cast<double>(n)));
        }
    return sum;
}

// False where this build has no FFTW.
bool add_processors(Team &team, std::size_t count, std::int64_t n)
{
    try {
        for (std::size_t i = 0; i < count; ++i)
            team.add({text("p", i), make_builtin("fft2d", i == 1 ? "cpu:0-1" : "cpu:0", text("n=", n)).kernel, {}});
    } catch (const Error &error) {
        if (error.status() != Status::unsupported) throw;
        return false;
    }
    return true;
}

TEST(SharedTransform, IsThatOfTheWholeMatrix)
{
    for (const std::int64_t n : {1, 2, 7, 12})
        for (const auto &x : {std::vector<std::int64_t>{5, 0, 8}, {1, 1, 1}, {0, 7, 0}, {2, 17, 1}}) {
            Team team;
            if (!add_processors(team, x.size(), n)) GTEST_SKIP() << "no FFTW";
            TeamRun run(team, team.slices(x));
            for (int repetition = 0; repetition < 3; ++repetition) run.repeat({});
            std::vector<double> columns; // of all processors: the transform, transposed
            for (const auto i : run.active()) {
                const auto part = dynamic_cast<const BuiltinKernel &>(*team.member(i).kernel).result();
                columns.insert(columns.end(), part.begin(), part.end());
            }
            const auto height = std::accumulate(x.begin(), x.end(), std::int64_t{0});
            ASSERT_EQ(columns.size(), static_cast<std::size_t>(2 * height * n));
            for (std::int64_t at = 0; at < height * n; ++at) {
                const auto k = static_cast<std::size_t>(2 * at);
                const auto expected = point_of_transform(height, n, at % height, at / height);
                ASSERT_LT(std::abs(Complex(columns[k], columns[k + 1]) - expected), 1e-11)
                    << height << " x " << n << ", point " << at;
            }
        }
}

TEST(SharedTransform, TellsTheTimesOfItsParts)
{
    Team team;
    if (!add_processors(team, 3, 16)) GTEST_SKIP() << "no FFTW";
    const std::vector<std::int64_t> x = {9, 0, 20};
    const auto result = execute(team, x, 1, true);
    EXPECT_LE(result.check->max_relative_error, result.check->tolerance);
    ASSERT_EQ(result.parts.size(), 3U);
    EXPECT_EQ(result.parts[0].first, "rows_seconds");
    EXPECT_EQ(result.parts[1].first, "transpose_seconds");
    EXPECT_EQ(result.parts[2].first, "columns_seconds");
    for (std::size_t i = 0; i < x.size(); ++i) {
        double sum = 0;
        for (const auto &[name, seconds] : result.parts) sum += seconds[i];
        EXPECT_DOUBLE_EQ(sum, result.seconds[i]);
        EXPECT_EQ(sum == 0, x[i] == 0);
    }
}

// Named as the others, so that they wait for it.
class FailingPartner final : public BuiltinKernel
{
  public:
    void prepare(const Slice &) override {}
    void run() override { throw RunFailure("no luck"); }
    void release() noexcept override {}
    std::string description() const override { return "fft2d n=16"; }
    std::span<const double> result() const override { return {}; }
    Check check(std::span<const SliceResult>) const override { return {0, 0}; }
};

TEST(SharedTransform, EndsWhenAnotherProcessorFails)
{
    Team team;
    if (!add_processors(team, 2, 16)) GTEST_SKIP() << "no FFTW";
    team.add({"failing", std::make_unique<FailingPartner>(), {}});
    TeamRun run(team, team.slices(std::vector<std::int64_t>{3, 4, 5}));
    EXPECT_NE(std::string(error_of([&] { run.repeat({}); }).what()).find("no luck"), std::string::npos);
}

// Packages run one by one, and a part of the transform waits for the others.
TEST(SharedTransform, HasNoPackages)
{
    Team team;
    if (!add_processors(team, 2, 4)) GTEST_SKIP() << "no FFTW";
    Queues queues;
    queues.start = [] { return [](std::size_t, std::optional<double>) { return Slice{}; }; };
    expect_error(Status::unsupported, {"fft2d", "one by one"}, [&] { run_queues(team, queues, {}, Poll()); });
}

} // namespace
} // namespace hpart

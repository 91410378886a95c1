// Left-looking operations of plain arrays, which the host packs on their way, and of pinned ones on the fake driver's simulated
// clock: they take what was predicted.
#include "fake.hpp"
#include "out_of_card/factorisations/blocking.hpp"
#include "out_of_card/factorisations/factorisations.hpp"
#include "support/options.hpp"

#include <mutex>
#include <vector>

using namespace hpart;

namespace
{

constexpr std::int64_t n = 4096;

class CudaPacking : public fake::OnSimulatedClock<double>
{
  protected:
    void SetUp() override
    {
        start_clock(64 << 20, speeds_);
        auto rates = known_rates(speeds_);
        rates.row_seconds = 1e-12;
        rates.staging = GetParam();
        devices_.sessions.push_back(support::known_device(fake::open(), std::nullopt, rates));
    }

    // A matrix of zeros in plain or pinned memory.
    HostMatrix matrix()
    {
        const bool is_plain = GetParam() > 0;
        if (!is_plain) return {Scalar::d, true, n, n, pinned(n * n * 8), n};
        plain_.emplace_back(static_cast<std::size_t>(n * n));
        return {Scalar::d, true, n, n, plain_.back().data(), n};
    }

    double predicted_seconds(const FactorisationStep &problem)
    {
        const std::lock_guard lock(session().in_use());
        const auto best = best_shape(session(), in_card_gemm(session(), Scalar::d), problem, LeftLookingWish{});
        return best ? best->seconds : 0;
    }

    static void expect_as_predicted(double predicted, const fake_cuda::Times &simulated)
    {
        EXPECT_LE(simulated.now, 1.12 * predicted);
        EXPECT_GE(simulated.now, 0.9 * predicted);
    }

    // A slow device: commands and waits cost little beside the copies.
    const fake_cuda::Speeds speeds_{.in = 5e9, .out = 5e9, .packing = GetParam(), .gemm = 4e11};
    std::vector<std::vector<double>> plain_;
};

TEST_P(CudaPacking, UpdatesTakeWhatIsPredicted)
{
    SyrkCall call;
    const auto a = matrix();
    call.c = matrix();
    call.k = n;
    call.a = a.data;
    call.lda = n;
    call.beta = 1;
    const auto predicted = predicted_seconds(update_of(call.c, n, true, a));
    expect_as_predicted(predicted, times_of([&] {
                            Report report;
                            syrk(devices_, call, Options(), report);
                            EXPECT_EQ(std::get<std::string>(report.get("plan")), "left-looking");
                        }));
}

TEST_P(CudaPacking, SolutionsTakeWhatIsPredicted)
{
    TrsmCall call;
    const auto a = matrix();
    call.b = matrix();
    call.a = a.data;
    call.lda = n;
    call.unit_diagonal = true;
    const auto predicted = predicted_seconds(solution_of(call.b, a));
    expect_as_predicted(predicted, times_of([&] {
                            Report report;
                            trsm(devices_, call, Options(), report);
                            EXPECT_EQ(std::get<std::string>(report.get("plan")), "left-looking");
                        }));
}

// Whatever the rate of usual tiles is.
TEST_P(CudaPacking, DryRunsTimeTheKernels)
{
    auto rates = known_rates(speeds_);
    rates.row_seconds = 1e-12;
    rates.staging = GetParam();
    rates.product_flops /= 10;
    devices_.sessions = {support::known_device(fake::open(), std::nullopt, rates)};
    SyrkCall call;
    const auto a = matrix();
    call.c = matrix();
    call.k = n;
    call.a = a.data;
    call.lda = n;
    call.beta = 1;
    Report planned;
    syrk(devices_, call, support::options_of({{"dry_run", "1"}}), planned);
    expect_as_predicted(std::get<double>(planned.get("predicted_seconds")), times_of([&] {
                            Report report;
                            syrk(devices_, call, Options(), report);
                        }));
}

// Bytes per second that the host packs; 0: the arrays are pinned.
INSTANTIATE_TEST_SUITE_P(Rates, CudaPacking, testing::Values(0, 1e9, 8e9),
                         [](const auto &rate) { return std::to_string(static_cast<int>(rate.param / 1e9)) + "GBs"; });

} // namespace

// Factorisations whose panels cuSOLVER factors in the device's memory, on the fake driver: beside LAPACK, and beside panels on the host.
#include "core/error.hpp"
#include "fake.hpp"
#include "out_of_card/factorisations/device_work.hpp"
#include "out_of_card/factorisations/factorisations.hpp"
#include "support/options.hpp"
#include "unit/factorisations/store.hpp"

#include <array>
#include <cmath>
#include <limits>

using namespace hpart;
using factor_test::any_dense;
using factor_test::Dense;
using factor_test::epsilon;
using factor_test::norm;
using factor_test::Store;
using factor_test::sum;

namespace
{

using CudaPanels = fake::Test;

constexpr std::int64_t width = 16, rows = 200, columns = 160;
const Options narrow_panels = support::options_of({{"panel_width", "16"}});

// Room for all columns of a matrix of so many rows, or for some.
DeviceGroup device(bool has_cusolver, Scalar type, bool has_room, std::int64_t height = rows)
{
    auto libraries = fake::libraries;
    if (!has_cusolver) libraries.cusolver = "/nowhere";
    const std::int64_t of_libraries = 36 << 10,
                       some = (9 * height * columns / 20 + 16 * rows * width / 5) * bytes_of(type);
    return {{support::known_device(make_cuda_device(0, libraries), has_room ? 1 << 20 : of_libraries + some)}};
}

void expect_blocks(const Report &report, bool has_room)
{
    EXPECT_EQ(std::get<std::string>(report.get("plan")), "left-looking");
    const auto resident = std::get<std::int64_t>(report.get("resident_width"));
    EXPECT_EQ(resident >= columns, has_room) << resident;
}

struct Lu {
    std::vector<std::int64_t> pivots = std::vector<std::int64_t>(columns);
    Dense factors{0, 0};
    std::int64_t info = 0;
};

Lu lu_of(DeviceGroup devices, Store a, bool has_room)
{
    Lu lu;
    Report report;
    try {
        getrf(devices, a.matrix(), lu.pivots.data(), narrow_panels, report);
    } catch (const Error &error) {
        EXPECT_EQ(error.status(), Status::numerical) << error.what();
    }
    lu.info = std::get<std::int64_t>(report.get("info"));
    lu.factors = a.dense();
    EXPECT_TRUE(a.guards_are_whole());
    if (!devices.sessions.empty()) expect_blocks(report, has_room);
    return lu;
}

void expect_alike(const Dense &found, const Dense &expected, Scalar type, const std::string &what,
                  double epsilons = 1000)
{
    const auto bound = epsilons * epsilon(type);
    for (std::size_t k = 0; k < found.values.size(); ++k) {
        const auto one = found.values[k], other = expected.values[k];
        ASSERT_EQ(std::isfinite(std::abs(one)), std::isfinite(std::abs(other))) << what << " at " << k;
        if (std::isfinite(std::abs(one))) {
            ASSERT_LE(std::abs(one - other), bound * (1 + std::abs(other))) << what << " at " << k;
        }
    }
}

TEST_F(CudaPanels, PivotsAreLapacks)
{
    struct Case {
        const char *name;
        std::int64_t row, column;
        double value;    // of this element; of all of the column for row -1
        bool is_lapacks; // of the whole matrix: else of its panels
    };
    const auto nan = std::numeric_limits<double>::quiet_NaN();
    for (const auto &one : {Case{"random", 0, 0, 0.5, true},
                            {"a zero column", -1, 40, 0, true},
                            {"the first column is zero", -1, 0, 0, true},
                            {"the last column is zero", -1, columns - 1, 0, true},
                            {"subnormal pivots", -1, 40, 1e-310, false},
                            {"NaN", 60, 40, nan, false},
                            {"NaN in the first column", 60, 0, nan, false},
                            {"infinity", 60, 40, HUGE_VAL, false}})
        for (const auto type : {Scalar::s, Scalar::d, Scalar::c, Scalar::z})
            for (const int form : {0, 1, 2, 3}) {
                const bool row_major = form % 2 == 1, has_room = form < 2;
                auto random = fake::seeded(71);
                auto values = any_dense(type, rows, columns, random);
                if (one.row >= 0) values.at(one.row, one.column) = one.value;
                for (std::int64_t i = 0; one.row < 0 && i < rows; ++i) values.at(i, one.column) = one.value;
                const Store a(type, row_major, values, 3);
                const auto what =
                    std::string(one.name) + ", " + factor_test::name_of(type) + (row_major ? ", rows" : "");
                const auto before = fake_cuda::panels_factored();
                const auto found = lu_of(device(true, type, has_room), a, has_room);
                EXPECT_EQ(fake_cuda::panels_factored() - before, (columns + width - 1) / width) << what;
                const auto expected =
                    one.is_lapacks ? lu_of({}, a, true) : lu_of(device(false, type, has_room), a, has_room);
                ASSERT_EQ(found.pivots, expected.pivots) << what;
                ASSERT_EQ(found.info, expected.info) << what;
                expect_alike(found.factors, expected.factors, type, what);
            }
}

// No fewer numbers than an LU sends that applies each panel to a later block once, with at most four others.
std::int64_t most_sent_once(std::int64_t high, std::int64_t wide, std::int64_t panel, std::int64_t resident)
{
    std::int64_t sum = 0;
    for (std::int64_t first = 0; first < wide; first += resident) {
        sum += high * std::min(resident, wide - first);
        for (std::int64_t begin = 0; begin < std::min({high, wide, first}); begin += panel)
            sum += (high - begin + 2 * panel) * panel;
    }
    return sum;
}

// Many blocks, the last ones narrower, of matrices that are wide, square or tall; next blocks that are begun while panels are factored, and
// columns by which nothing can be divided.
TEST_F(CudaPanels, LuIsRightInBlocksOfEveryShape)
{
    auto random = fake::seeded(76);
    std::int64_t in_blocks = 0, ahead = 0;
    for (std::int64_t run = 0; run < fake::instances(120); ++run) {
        fake::expect_clean();
        fake_cuda::reset({.longest_delay_microseconds = run % 8 == 5 ? 50 : 0}); // the host has time beside panels
        const auto type = run % 4 == 3 ? Scalar::z : Scalar::d;
        const bool row_major = run % 3 == 0;
        const auto wide = fake::between(random, 60, 300), panel = fake::between(random, 4, 12),
                   high = run % 5 == 0 ? fake::between(random, wide / 2, 2 * wide) : wide,
                   resident = fake::between(random, 4 * panel, std::max(4 * panel, wide / 2));
        auto values = any_dense(type, high, wide, random);
        const auto column = fake::between(random, 0, wide - 1);
        const bool has_nan = run % 7 == 6;
        if (has_nan) values.at(fake::between(random, 0, high - 1), column) = std::numeric_limits<double>::quiet_NaN();
        for (std::int64_t i = 0; run % 7 == 3 && i < high; ++i) values.at(i, column) = 0;
        const Store a(type, row_major, values, 3);
        std::array<std::vector<std::int64_t>, 2> pivots;
        Dense factors[2] = {{0, 0}, {0, 0}};
        std::int64_t infos[2] = {};
        for (const bool has_cusolver : {true, false}) {
            const std::size_t index = has_cusolver ? 1 : 0;
            auto libraries = fake::libraries;
            if (!has_cusolver) libraries.cusolver = "/nowhere";
            const auto limit = (std::int64_t{40} << 10) + high * (resident + 10 * panel) * bytes_of(type);
            DeviceGroup devices;
            if (has_cusolver || has_nan) devices = {{support::known_device(make_cuda_device(0, libraries), limit)}};
            auto lu = a;
            pivots[index].resize(static_cast<std::size_t>(std::min(high, wide)));
            Report report;
            const auto before = fake_cuda::panels_factored();
            try {
                const auto options = support::options_of({{"panel_width", std::to_string(panel)}});
                getrf(devices, lu.matrix(), pivots[index].data(), options, report);
            } catch (const Error &error) {
                ASSERT_EQ(error.status(), Status::numerical) << error.what();
            }
            ASSERT_TRUE(lu.guards_are_whole());
            infos[index] = std::get<std::int64_t>(report.get("info"));
            factors[index] = lu.dense();
            if (!has_cusolver || std::get<std::string>(report.get("plan")) != "left-looking") continue;
            const auto stays = std::get<std::int64_t>(report.get("resident_width"));
            in_blocks += stays < wide ? 1 : 0;
            const auto panels = (std::min(high, wide) + panel - 1) / panel;
            if (fake_cuda::panels_factored() - before < panels || infos[index] > 0 || has_nan) continue;
            // Results of panels are sent, too.
            const auto sent = std::get<std::int64_t>(report.get("bytes_to_device")) / bytes_of(type);
            const bool is_ahead = sent > most_sent_once(high, wide, panel, stays) + 4 * wide;
            EXPECT_FALSE(is_ahead && row_major) << run;
            ahead += is_ahead ? 1 : 0;
        }
        const auto what = text(run, ": ", high, " x ", wide, ", panels of ", panel, row_major ? ", rows" : ", columns");
        ASSERT_EQ(pivots[1], pivots[0]) << what;
        ASSERT_EQ(infos[1], infos[0]) << what;
        if (!has_nan) expect_alike(factors[1], factors[0], type, what, 1e6); // random matrices may be nearly singular
    }
    EXPECT_GT(in_blocks, 60);
    EXPECT_GT(ahead, 20) << in_blocks;
}

TEST_F(CudaPanels, QrAndCholeskyAreAsOnTheHost)
{
    auto random = fake::seeded(72);
    std::int64_t squares = 0;
    for (const auto type : {Scalar::s, Scalar::d, Scalar::c, Scalar::z})
        for (const int form : {0, 1, 2, 3}) {
            const bool row_major = form % 2 == 1, has_room = form < 2;
            const Store a(type, row_major, any_dense(type, rows, columns, random), 3);
            auto square = any_dense(type, columns, columns, random);
            for (std::int64_t j = 0; j < columns; ++j) square.at(j, j) = 4.0 * columns;
            const Store c(type, row_major, square, 2);
            std::vector<Dense> factors;
            for (const bool has_cusolver : {true, false}) {
                auto devices = device(has_cusolver, type, has_room),
                     for_squares = device(has_cusolver, type, has_room, columns);
                auto qr = a, cholesky = c;
                Store tau(type, false, columns, 1, 0);
                const auto before = fake_cuda::panels_factored();
                Report report;
                geqrf(devices, qr.matrix(), tau.matrix().data, narrow_panels, report);
                expect_blocks(report, has_room);
                potrf(for_squares, Triangle::lower, cholesky.matrix(), narrow_panels, report);
                expect_blocks(report, has_room);
                // The host has Cholesky's first square.
                const auto panels = (columns + width - 1) / width;
                const auto found = fake_cuda::panels_factored() - before;
                EXPECT_GE(found, has_cusolver ? panels : 0);
                squares += found - (has_cusolver ? panels : 0);
                EXPECT_TRUE(qr.guards_are_whole());
                EXPECT_TRUE(cholesky.guards_are_whole());
                for (const auto &one : {qr.dense(), tau.dense(), cholesky.dense()}) factors.push_back(one);
            }
            for (std::size_t k = 0; k < 3; ++k)
                expect_alike(factors[k], factors[k + 3], type,
                             factor_test::name_of(type) + (row_major ? ", rows" : ""));
        }
    EXPECT_GT(squares, 0);
}

// The triangle above the diagonal is the caller's.
TEST_F(CudaPanels, OfCholeskyEndAtTheSameMinor)
{
    auto random = fake::seeded(73);
    for (const auto value : {-1.0, std::numeric_limits<double>::quiet_NaN()})
        for (const std::int64_t minor : {3, 16, 40, 69})
            for (const bool row_major : {false, true}) {
                auto square = any_dense(Scalar::d, columns, columns, random);
                for (std::int64_t j = 0; j < columns; ++j) {
                    square.at(j, j) = 4.0 * columns;
                    for (std::int64_t i = 0; i < j; ++i) square.at(i, j) = std::numeric_limits<double>::quiet_NaN();
                }
                square.at(minor, minor) = value;
                for (const bool has_cusolver : {true, false}) {
                    Store a(Scalar::d, row_major, square, 0);
                    auto devices = device(has_cusolver, Scalar::d, row_major, columns);
                    Report report;
                    EXPECT_THROW(potrf(devices, Triangle::lower, a.matrix(), narrow_panels, report), Error);
                    EXPECT_EQ(std::get<std::int64_t>(report.get("info")), minor + 1) << row_major << has_cusolver;
                }
            }
}

// Many blocks, chunks and last panels of any width; squares whose inverses are accurate, and others.
TEST_F(CudaPanels, CholeskyByRowsIsRightInBlocksOfEveryShape)
{
    auto random = fake::seeded(75);
    const auto between = [&](std::int64_t least, std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(least, most)(random);
    };
    std::int64_t in_blocks = 0;
    for (int run = 0; run < 80; ++run) {
        const auto type = run % 4 == 3 ? Scalar::z : Scalar::d;
        const auto size = between(24, 220), panel = between(4, 20), resident = between(panel, size);
        const bool is_well_conditioned = run % 2 == 0;
        auto l = factor_test::triangle_of(any_dense(type, size, size, random), Triangle::lower);
        const auto small = is_well_conditioned ? 1.0 : 1e-4; // no inverse is used of a square with both sizes
        for (auto &value : l.values) value *= small / static_cast<double>(size);
        for (std::int64_t i = 0; i < size; ++i) l.at(i, i) = i % 2 == 0 ? 1.0 : small;
        const auto expected = factor_test::product(l, Transpose::none, l, Transpose::conjugate);
        auto values = expected;
        const auto minor = run % 4 == 0 ? between(0, size - 1) : size; // the first that is not positive
        if (minor < size) values.at(minor, minor) = -1;
        Store a(type, true, values, 3);
        const auto limit =
            (std::int64_t{40} << 10) +
            (size * (resident + 4 * panel) + 4 * resident * panel + 16 * (size + resident)) * bytes_of(type);
        DeviceGroup devices{{support::known_device(make_cuda_device(0, fake::libraries), limit)}};
        const auto options = support::options_of({{"panel_width", std::to_string(panel)}});
        Report report;
        try {
            potrf(devices, Triangle::lower, a.matrix(), options, report);
        } catch (const Error &error) {
            ASSERT_EQ(error.status(), Status::numerical) << error.what();
        }
        const auto info = std::get<std::int64_t>(report.get("info"));
        ASSERT_EQ(info, minor < size ? minor + 1 : 0) << run;
        const auto good = std::min(minor, size);
        const auto found = factor_test::triangle_of(a.dense().block(0, 0, good, good), Triangle::lower);
        const auto wrong = norm(sum(expected.block(0, 0, good, good), -1,
                                    factor_test::product(found, Transpose::none, found, Transpose::conjugate)));
        ASSERT_LE(wrong, static_cast<double>(5 * size + 32 * panel) * epsilon(type) * norm(expected)) << run;
        ASSERT_TRUE(a.guards_are_whole());
        if (std::get<std::string>(report.get("plan")) == "left-looking" &&
            std::get<std::int64_t>(report.get("resident_width")) < size)
            ++in_blocks;
    }
    EXPECT_GT(in_blocks, 40);
}

TEST_F(CudaPanels, AnyCallOrCommandMayFail)
{
    constexpr std::int64_t order = 40;
    auto random = fake::seeded(74);
    auto values = any_dense(Scalar::d, order, order, random);
    for (std::int64_t j = 0; j < order; ++j) values.at(j, j) = 4.0 * order;
    for (const bool row_major : {false, true})
        fake::any_call_or_command_may_fail([&] {
            const Store a(Scalar::d, row_major, values, 0);
            auto devices = device(true, Scalar::d, row_major);
            std::vector<std::int64_t> pivots(order);
            std::vector<double> tau(order);
            Report report;
            auto lu = a, qr = a, cholesky = a;
            getrf(devices, lu.matrix(), pivots.data(), narrow_panels, report);
            geqrf(devices, qr.matrix(), tau.data(), narrow_panels, report);
            potrf(devices, Triangle::lower, cholesky.matrix(), narrow_panels, report);
        });
}

// Blocks of which the next is begun early, or whose panels leave together.
TEST_F(CudaPanels, AnyCallOrCommandOfAnLuInBlocksMayFail)
{
    constexpr std::int64_t order = 48, panel = 4, limit = (36 << 10) + order * 44 * 8;
    auto random = fake::seeded(77);
    const auto values = any_dense(Scalar::d, order, order, random);
    std::int64_t stays = 0, sent = 0;
    for (const bool row_major : {false, true}) {
        fake::any_call_or_command_may_fail([&] {
            Store a(Scalar::d, row_major, values, 0);
            DeviceGroup devices{{support::known_device(make_cuda_device(0, fake::libraries), limit)}};
            std::vector<std::int64_t> pivots(order);
            Report report;
            getrf(devices, a.matrix(), pivots.data(), support::options_of({{"panel_width", "4"}}), report);
            if (sent > 0) return;
            stays = std::get<std::int64_t>(report.get("resident_width"));
            sent = std::get<std::int64_t>(report.get("bytes_to_device")) / 8;
        });
        EXPECT_EQ(stays, order / 2);
        EXPECT_EQ(sent > most_sent_once(order, order, panel, stays) + 4 * order, !row_major);
        sent = 0;
    }
}

// On the simulated clock, as an H100 (bench/gpu/simulated.cpp).
class CudaPanelsInTime : public fake::OnSimulatedClock<bool>
{
  protected:
    static constexpr fake_cuda::Speeds speeds{.in = 54e9,
                                              .out = 54e9,
                                              .both = 88e9,
                                              .row = 1e-7,
                                              .memory = 3e12,
                                              .gemm = 55e12,
                                              .fft = 4e12,
                                              .gemm_depth = 40};
    static constexpr double host_flops = 83e9, host_bytes = 72e9;
    static constexpr std::int64_t order = 24576;

    struct Host final : SimulatedHost {
        void spend(const HostCost &cost) override
        {
            fake_cuda::spend(cost.flops / host_flops + cost.bytes / host_bytes);
        }
    };

    void open(std::int64_t memory_bytes, std::int64_t limit)
    {
        start_clock(memory_bytes, speeds);
        auto rates = known_rates(speeds);
        rates.both = speeds.both;
        rates.row_seconds = speeds.row;
        rates.staging = host_bytes / 2;
        rates.product_depth = speeds.gemm_depth;
        rates.host_flops = 2 * host_flops;
        rates.panel_flops = speeds.panel;
        rates.panel_column_seconds = speeds.panel_column;
        devices_.sessions = {support::known_device(fake::open(), limit, rates)};
        session().kept<SimulatedHost>(SimulatedHost::name, [] { return std::make_shared<Host>(); });
    }

    // The rate over the rate of products.
    template <typename Factor> double ratio(double flops, const Factor &factor)
    {
        open(std::int64_t{79} << 30, order * order * 8 / 3);
        const HostMatrix a{Scalar::d, GetParam(), order, order, pinned(order * order * 8), order};
        const auto run = [&] {
            Report report;
            factor(a, report);
        };
        run(); // sets up
        const auto seconds = times_of(run).now;
        free_arrays();
        devices_.sessions.clear();
        return flops / seconds / speeds.gemm;
    }
};

// The fake cuBLAS takes no longer ones.
TEST_P(CudaPanelsInTime, OperandsSpanNoMoreElementsThanCublasTakes)
{
    constexpr std::int64_t large = 70000;
    open(std::int64_t{141} << 30, std::int64_t{60} << 30);
    const HostMatrix a{Scalar::s, GetParam(), large, large, pinned(large * large * 4), large};
    std::vector<std::int64_t> pivots(large, 1);
    Report report;
    getrf(devices_, a, pivots.data(), Options(), report);
}

TEST_P(CudaPanelsInTime, FactorisationsReachTheirPartOfAProductsRate)
{
    constexpr auto cube = static_cast<double>(order) * order * order;
    EXPECT_GE(ratio(2 * cube / 3,
                    [&](const HostMatrix &a, Report &report) {
                        std::vector<std::int64_t> pivots(order, 1);
                        getrf(devices_, a, pivots.data(), Options(), report);
                    }),
              GetParam() ? 0.365 : 0.48);
    EXPECT_GE(ratio(4 * cube / 3,
                    [&](const HostMatrix &a, Report &report) {
                        std::vector<double> tau(order);
                        geqrf(devices_, a, tau.data(), Options(), report);
                    }),
              0.52);
    EXPECT_GE(ratio(cube / 3, [&](const HostMatrix &a,
                                  Report &report) { potrf(devices_, Triangle::lower, a, Options(), report); }),
              0.55);
}

INSTANTIATE_TEST_SUITE_P(Layouts, CudaPanelsInTime, testing::Bool(),
                         [](const auto &row_major) { return row_major.param ? "rows" : "columns"; });

} // namespace

// Exchanges of rows on the device, beside those of the host.
#include "out_of_card/factorisations/row_swaps.hpp"
#include "support/backends.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include <sys/mman.h>

namespace hpart
{

namespace
{

class RowSwapsOn : public support::OnBackend
{
};

// More of them than one command makes; no event of theirs stays.
TEST_P(RowSwapsOn, AreMadeInOrder)
{
    constexpr std::int64_t rows = 300, columns = 7, ld_of_rows = 9, ld_of_columns = 310, exchanges = 150;
    auto random = support::seeded(23);
    for (const bool row_major : {true, false}) {
        DeviceSession session(device_, std::nullopt);
        std::vector<double> values(row_major ? rows * ld_of_rows : columns * ld_of_columns);
        std::iota(values.begin(), values.end(), 0.0);
        const auto bytes = static_cast<std::int64_t>(values.size() * sizeof(double));
        const auto buffer = session.allocate(bytes);
        const DeviceBlock block{buffer.get(), 0, row_major ? ld_of_rows : ld_of_columns, rows, columns, row_major};
        std::vector<std::int64_t> others;
        for (std::int64_t k = 0; k < exchanges; ++k)
            others.push_back(std::uniform_int_distribution<std::int64_t>(k, rows - 1)(random));
        auto from_one = others;
        for (auto &row : from_one) ++row;
        constexpr auto list_bytes = exchanges * std::int64_t{sizeof(std::int64_t)};
        const auto list = session.allocate(list_bytes);
        {
            const auto queue = device_->make_queue();
            device_->write(*queue, {list.get(), 0, list_bytes}, from_one.data(), list_bytes, {1, list_bytes}, {});
            device_->write(*queue, {buffer.get(), 0, bytes}, values.data(), bytes, {1, bytes}, {});
            auto expected = values;
            const auto at = [&](std::int64_t row, std::int64_t column) -> double & {
                return expected[static_cast<std::size_t>(row_major ? row * block.ld + column
                                                                   : row + column * block.ld)];
            };
            for (std::int64_t k = 0; k < exchanges; ++k)
                for (std::int64_t j = 0; j < columns; ++j)
                    std::swap(at(k, j), at(others[static_cast<std::size_t>(k)], j));
            const auto event = device_->launch(
                *queue, row_swaps(session)->swap(Scalar::d, block, others, {list.get(), 0, list_bytes}), {});
            const auto read =
                device_->read(*queue, {buffer.get(), 0, bytes}, values.data(), bytes, {1, bytes}, std::array{event});
            device_->flush(*queue);
            ASSERT_EQ(read->wait(), EventState::done) << read->failure();
            EXPECT_EQ(event->wait(), EventState::done);
            EXPECT_EQ(values, expected) << row_major;
        }
        EXPECT_EQ(device_->census().events, 0);
    }
}

// The matrix is longer than the memory of a machine, and all but two of its pages are nowhere.
TEST_P(RowSwapsOn, RowsMayHaveNumbersOfMoreThan32Bits)
{
    if (!device_->info().on_host_cores) GTEST_SKIP() << "its kernels do not see the host's memory";
    constexpr std::int64_t far = (std::int64_t{1} << 32) + 3, page = 4096, bytes = (far + page) * 4;
    void *const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) GTEST_SKIP() << "no addresses for so many rows";
    auto *const values = static_cast<float *>(memory);
    values[0] = 1, values[3] = 2, values[far] = 3;
    {
        DeviceSession session(device_, std::nullopt);
        const auto buffer = device_->wrap_host(memory, page);
        const auto queue = device_->make_queue();
        const DeviceBlock block{buffer.get(), 0, far + 1, far + 1, 1, false};
        const auto event = device_->launch(*queue, row_swaps(session)->swap(Scalar::s, block, {far}, {}), {});
        device_->flush(*queue);
        EXPECT_EQ(event->wait(), EventState::done);
    }
    EXPECT_EQ(values[0], 3);
    EXPECT_EQ(values[3], 2);
    EXPECT_EQ(values[far], 1);
    munmap(memory, bytes);
}

INSTANTIATE_TEST_SUITE_P(Devices, RowSwapsOn, testing::ValuesIn(support::all_backend_cases()), support::backend_name);

} // namespace

} // namespace hpart

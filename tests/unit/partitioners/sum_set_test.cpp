// Sets of sums against std::set.
#include "core/progress.hpp"
#include "instances.hpp"
#include "partitioners/search/choices.hpp"
#include "partitioners/search/sum_set.hpp"
#include "support/errors.hpp"

#include <gtest/gtest.h>
#include <set>

namespace
{

using hpart::SumSet;
using instances::between;

void expect_equal(const SumSet &sums, const std::set<std::int64_t> &expected, std::int64_t highest, std::int64_t probe)
{
    std::vector<std::int64_t> all;
    sums.for_each(0, highest, [&](std::int64_t sum) { all.push_back(sum); });
    ASSERT_EQ(all, std::vector(expected.begin(), expected.end()));
    ASSERT_EQ(sums.has(probe), expected.count(probe) > 0);
    const auto from = expected.lower_bound(probe), after = expected.upper_bound(probe);
    ASSERT_EQ(sums.nearest_below(probe), from == expected.begin() ? std::nullopt : std::optional(*std::prev(from)));
    ASSERT_EQ(sums.nearest_above(probe), after == expected.end() ? std::nullopt : std::optional(*after));
}

// Few sums of huge sizes stay a list, many of small ones become bits.
TEST(SumSets, HoldTheSumsOfOneValueOfEach)
{
    instances::for_each_instance(63, 0.2, [](auto &random, auto k) {
        const auto scale = std::int64_t{1} << between(random, 0, 55);
        const auto unit = between(random, 1, 3);
        const auto highest = scale * between(random, 0, 90);
        const auto begin = k % 2 == 0 ? SumSet::Begin::as_list : SumSet::Begin::as_bits;
        if (begin == SumSet::Begin::as_bits && highest > 1 << 20) return;
        hpart::Control control;
        hpart::Pacer pacer(control, "test");
        SumSet sums(highest, begin, std::int64_t{1} << 30);
        sums.add_zero();
        std::set<std::int64_t> expected{0};
        for (auto classes = between(random, 0, 6); classes > 0; --classes) {
            std::vector<std::int64_t> values;
            std::set<std::int64_t> next;
            for (auto count = between(random, 1, 8); count > 0; --count) {
                values.push_back(unit * (scale * between(random, 0, 30) + between(random, 0, 2)));
                for (const auto sum : expected)
                    if (sum + values.back() / unit <= highest) next.insert(sum + values.back() / unit);
            }
            sums = sums.plus_one_of(values, unit, pacer);
            expected = std::move(next);
        }
        expect_equal(sums, expected, highest, highest - scale * between(random, 0, 30) + between(random, -2, 2));
    });
}

TEST(SumSets, EndAtTheMemoryGiven)
{
    hpart::Control control;
    hpart::Pacer pacer(control, "test");
    support::expect_error(hpart::Status::limit, {}, [] { SumSet(1 << 20, SumSet::Begin::as_bits, 1 << 10); });
    SumSet sums(std::int64_t{1} << 60, SumSet::Begin::as_list, 1 << 16);
    sums.add_zero();
    support::expect_error(hpart::Status::limit, {}, [&] {
        for (std::int64_t k = 0; k < 20; ++k)
            sums = sums.plus_one_of(std::vector<std::int64_t>{0, std::int64_t{1} << (2 * k)}, 1, pacer);
    });
}

} // namespace

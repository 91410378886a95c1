// Transforms in two passes by any plan: slabs, slots and pieces of any size, whether or not a planner would take them.
#include "core/text.hpp"
#include "out_of_card/fft/device_member.hpp"
#include "out_of_card/fft/problem.hpp"
#include "problem.hpp"
#include "support/backends.hpp"
#include "support/known_device.hpp"

#include <gtest/gtest.h>

#include <algorithm>

using namespace problem;
using namespace hpart;

namespace
{

class FftSlabs : public support::OnBackend
{
};

// One or several slabs to a slot, with or without room to spare; blocks that stay, none to all of the matrix.
PassesPlan any_plan(Random &random, const FftPasses &what)
{
    const auto least_slots = what.twiddled ? 3 : 1;
    PassesPlan plan;
    plan.first = {0, what.first_extent()};
    plan.second = {0, what.second_extent()};
    plan.band = between(random, 1, what.first_extent());
    plan.block = between(random, 1, what.second_extent());
    plan.slots = between(random, least_slots, 4);
    plan.pieces = between(random, 1, 5);
    const auto largest = std::max(plan.band * what.second_extent(), plan.block * what.first_extent());
    plan.slot_numbers = largest + between(random, 0, largest);
    plan.resident_block = between(random, 1, what.second_extent());
    const auto blocks = (what.second_extent() + plan.resident_block - 1) / plan.resident_block;
    plan.resident = between(random, 0, std::min<std::int64_t>(blocks, 4));
    return plan;
}

std::string describe(const PassesPlan &plan)
{
    return text(" bands of ", plan.band, " blocks of ", plan.block, ", ", plan.slots, " slots of ", plan.slot_numbers,
                ", ", plan.pieces, " pieces, ", plan.resident, " of ", plan.resident_block, " stay");
}

TEST_P(FftSlabs, OfAnySizeInAnySlots)
{
    if (GetParam().name == "opencl_gpu" && !support::is_long_run())
        GTEST_SKIP() << "PoCL compiles VkFFT's kernels for each shape, which takes seconds";
    auto random = seeded(41);
    const auto count = how_many(0.1);
    std::int64_t made = 0;
    for (std::int64_t k = 0; k < 10 * count && made < count && !HasFailure(); ++k) {
        const auto problem = any_problem(random, std::int64_t{1} << between(random, 4, 12));
        Arrays arrays(problem);
        const auto cuts = hpart::problem_of(without_ones(arrays.call())).cuts;
        if (cuts.empty()) continue;
        const auto &what =
            cuts[static_cast<std::size_t>(between(random, 0, static_cast<std::int64_t>(cuts.size()) - 1))];
        const auto session = support::known_device(device_, std::nullopt);
        auto member = fft_member(*session, problem.call.is_double, {});
        ASSERT_TRUE(member.has_value());
        member->plan.what = &what;
        member->plan.how = any_plan(random, what);
        const auto told = text(describe(problem), describe(member->plan.how));
        if (!prepare(*member).empty()) continue; // cuFFT refuses some shapes
        Control control;
        const auto record = run_plan(*member, control, [] { return true; });
        ASSERT_TRUE(record.has_value());
        EXPECT_LE(arrays.error(), arrays.tolerance()) << told;
        EXPECT_TRUE(arrays.rest_is_untouched()) << told;
        EXPECT_EQ(record->bytes_to_device, member->plan.how.bytes_in(what)) << told;
        EXPECT_EQ(record->bytes_from_device, member->plan.how.bytes_out(what)) << told;
        ++made;
    }
    EXPECT_EQ(made, count);
}

INSTANTIATE_TEST_SUITE_P(Devices, FftSlabs, testing::ValuesIn(support::all_backend_cases()), support::backend_name);

} // namespace

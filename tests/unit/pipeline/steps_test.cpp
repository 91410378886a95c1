#include "core/error.hpp"
#include "out_of_card/devices/host_device.hpp"
#include "out_of_card/pipeline/device_team.hpp"
#include "out_of_card/pipeline/residency.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>
#include <set>

namespace hpart
{

namespace
{

using HostBytes = std::vector<unsigned char>;

HostBlock block_at(const HostBytes &memory, std::int64_t offset, std::int64_t rows, std::int64_t row_bytes,
                   std::int64_t pitch)
{
    return {reinterpret_cast<std::uintptr_t>(memory.data()) + static_cast<std::uintptr_t>(offset), rows, row_bytes,
            pitch};
}

std::set<std::uintptr_t> bytes_of(const HostBlock &block)
{
    std::set<std::uintptr_t> result;
    for (std::int64_t row = 0; row < block.rows; ++row)
        for (std::int64_t k = 0; k < block.row_bytes; ++k)
            result.insert(block.address + static_cast<std::uintptr_t>(row * block.pitch_bytes + k));
    return result;
}

HostBlock random_block(std::mt19937_64 &random, const HostBytes &memory, std::int64_t pitch)
{
    const auto rows = static_cast<std::int64_t>(1 + random() % 4);
    const auto row_bytes = static_cast<std::int64_t>(1 + random() % static_cast<std::uint64_t>(pitch));
    const auto room = static_cast<std::int64_t>(memory.size()) - (rows - 1) * pitch - row_bytes;
    return block_at(memory, static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(room + 1)), rows, row_bytes,
                    pitch);
}

TEST(HostBlock, overlap_is_a_byte_in_common)
{
    std::mt19937_64 random(1);
    const HostBytes memory(60);
    for (std::int64_t instance = 0; instance < support::how_many(5); ++instance) {
        const auto pitch = static_cast<std::int64_t>(1 + random() % 12);
        const auto other_pitch = random() % 2 == 0 ? pitch : static_cast<std::int64_t>(1 + random() % 12);
        const auto a = random_block(random, memory, pitch), b = random_block(random, memory, other_pitch);
        const auto of_a = bytes_of(a), of_b = bytes_of(b);
        const bool expected =
            std::any_of(of_a.begin(), of_a.end(), [&](auto byte) { return of_b.find(byte) != of_b.end(); });
        ASSERT_EQ(overlap(a, b), expected);
        ASSERT_EQ(overlap(b, a), expected);
        const auto conflicts = find_conflicts({a, b}, {true, false});
        ASSERT_EQ(conflicts[0].size(), expected ? 1U : 0U);
        ASSERT_EQ(conflicts[1].size(), expected ? 1U : 0U);
        ASSERT_TRUE(find_conflicts({a, b}, {false, false})[0].empty());
    }
}

// The kernel of the random programs: bytes written depend on the step and on all bytes read.
struct Program {
    StepList list;
    void compute(std::size_t step, const std::vector<unsigned char *> &memory) const
    {
        const auto &uses = list.steps()[step];
        unsigned mixed = static_cast<unsigned>(step) * 31 + 7;
        for (std::size_t k = 0; k < uses.size(); ++k)
            if (reads(uses[k].access))
                for (std::int64_t byte = 0; byte < bytes(uses[k]); ++byte) mixed = mixed * 33 + memory[k][byte];
        for (std::size_t k = 0; k < uses.size(); ++k)
            if (writes(uses[k].access))
                for (std::int64_t byte = 0; byte < bytes(uses[k]); ++byte)
                    memory[k][byte] = static_cast<unsigned char>(mixed + static_cast<unsigned>(byte) * 5);
    }
    std::int64_t bytes(const Use &use) const { return list.blocks()[static_cast<std::size_t>(use.block)].bytes(); }
};

// One step after another, with no device.
void run_directly(const Program &program)
{
    for (std::size_t step = 0; step < program.list.steps().size(); ++step) {
        const auto &uses = program.list.steps()[step];
        std::vector<HostBytes> packed;
        std::vector<unsigned char *> memory;
        const auto each_row = [&](std::size_t k, auto &&move) {
            const auto &block = program.list.blocks()[static_cast<std::size_t>(uses[k].block)];
            for (std::int64_t row = 0; row < block.rows; ++row)
                move(packed[k].data() + row * block.row_bytes,
                     reinterpret_cast<unsigned char *>(block.address) + row * block.pitch_bytes,
                     static_cast<std::size_t>(block.row_bytes));
        };
        for (std::size_t k = 0; k < uses.size(); ++k) {
            packed.emplace_back(static_cast<std::size_t>(program.bytes(uses[k])));
            each_row(k, [](void *session, void *host, std::size_t bytes) { std::memcpy(session, host, bytes); });
        }
        for (auto &bytes : packed) memory.push_back(bytes.data());
        program.compute(step, memory);
        for (std::size_t k = 0; k < uses.size(); ++k)
            if (writes(uses[k].access))
                each_row(k, [](void *session, void *host, std::size_t bytes) { std::memcpy(host, session, bytes); });
    }
}

Program random_program(std::mt19937_64 &random, const HostBytes &memory)
{
    Program program;
    const auto arrays = 1 + random() % 3;
    for (std::uint64_t k = 0; k < arrays; ++k) program.list.add_array(static_cast<std::int64_t>(random() % 5), 64);
    // Few different blocks, so that some are used again; of one pitch, or of several.
    std::vector<std::pair<std::int64_t, HostBlock>> blocks;
    const auto pitch = static_cast<std::int64_t>(1 + random() % 12);
    for (auto count = 1 + random() % 10; count > 0; --count)
        blocks.emplace_back(
            random() % arrays,
            random_block(random, memory, random() % 8 != 0 ? pitch : static_cast<std::int64_t>(1 + random() % 12)));
    for (auto steps = random() % 20; steps > 0; --steps) {
        StepList before = program.list;
        for (auto uses = 1 + random() % 3; uses > 0; --uses) {
            const auto &[array, block] = blocks[random() % blocks.size()];
            program.list.use(array, static_cast<Access>(1 + random() % 3), block);
        }
        try {
            program.list.end_step();
        } catch (const Error &) { // blocks that overlap
            program.list = before;
        }
    }
    return program;
}

TEST(RunSteps, random_programs_give_what_the_steps_give_one_after_another)
{
    std::mt19937_64 random(2);
    int ran = 0;
    for (int instance = 0; instance < 1000; ++instance) {
        HostBytes memory(120);
        for (auto &byte : memory) byte = static_cast<unsigned char>(random());
        const auto program = random_program(random, memory);
        const auto before = memory;
        run_directly(program);
        const auto expected = memory;
        std::copy(before.begin(), before.end(), memory.begin()); // in place: the blocks point there

        DeviceSession session(make_host_device(), std::int64_t{1} << 20);
        Control control;
        Report report;
        const StepKernel kernel = [&](const StepView &step) {
            std::vector<unsigned char *> blocks;
            for (auto *block : step.memory) blocks.push_back(static_cast<unsigned char *>(block));
            program.compute(static_cast<std::size_t>(step.index), blocks);
            return 0;
        };
        const FlowOptions options{.lookahead = static_cast<int>(random() % 4)};
        try {
            run_steps(session, program.list, kernel, options, control, report);
        } catch (const Error &error) { // too few slots
            ASSERT_EQ(error.status(), Status::invalid_argument) << error.what();
            continue;
        }
        ASSERT_EQ(memory, expected) << "instance " << instance;
        ASSERT_EQ(session.used(), 0);
        ++ran;
    }
    EXPECT_GT(ran, 600);
}

// A product of tiles: each tile of C is loaded and brought back once, and with room for all of A and B these come once.
TEST(ResidencyPlan, blocks_that_stay_are_moved_once)
{
    constexpr std::int64_t tiles = 4, tile_bytes = 64;
    const HostBytes a(tiles * tiles * tile_bytes), b(a), c(a);
    const auto tile = [&](const HostBytes &matrix, std::int64_t i, std::int64_t j) {
        return block_at(matrix, (i * tiles + j) * tile_bytes, 1, tile_bytes, tile_bytes);
    };
    StepList list;
    for (int array = 0; array < 3; ++array) list.add_array(0, tile_bytes);
    for (std::int64_t i = 0; i < tiles; ++i)
        for (std::int64_t j = 0; j < tiles; ++j)
            for (std::int64_t k = 0; k < tiles; ++k) {
                list.use(0, Access::in, tile(a, i, k));
                list.use(1, Access::in, tile(b, k, j));
                list.use(2, k == 0 ? Access::out : Access::inout, tile(c, i, j));
                list.end_step();
            }
    const auto all = plan_residency(list, {tiles * tiles, tiles * tiles, 1});
    EXPECT_EQ(all.bytes_to_device, 2 * tiles * tiles * tile_bytes);
    EXPECT_EQ(all.bytes_from_device, tiles * tiles * tile_bytes);
    EXPECT_EQ(all.least_bytes, all.bytes_to_device + all.bytes_from_device);
    // A row of A stays; B's tiles all come again for each row, but for the one that is still there.
    const auto few = plan_residency(list, {tiles, 2, 1});
    EXPECT_EQ(few.bytes_from_device, tiles * tiles * tile_bytes);
    EXPECT_LE(few.bytes_to_device, (tiles * tiles + tiles * tiles * tiles) * tile_bytes);
    EXPECT_GE(few.bytes_to_device, (tiles * tiles + (tiles - 1) * tiles * tiles) * tile_bytes);
}

TEST(RunSteps, a_kernel_that_says_stop_is_told)
{
    HostBytes memory(256);
    StepList list;
    list.add_array(2, 64);
    for (int step = 0; step < 4; ++step) {
        list.use(0, Access::inout, block_at(memory, step * std::int64_t{64}, 1, 64, 64));
        list.end_step();
    }
    DeviceSession session(make_host_device(), std::int64_t{1} << 20);
    Control control;
    Report report;
    const StepKernel kernel = [](const StepView &step) { return step.index == 2 ? 5 : 0; };
    const auto error = support::error_of([&] { run_steps(session, list, kernel, {}, control, report); });
    EXPECT_EQ(error.status(), Status::callback);
    EXPECT_STREQ(error.what(), "a command on host failed: the kernel of step 2 returned 5; 0 would go on");
    EXPECT_EQ(session.used(), 0);
    EXPECT_EQ(session.device().census().events, 0);
}

// Steps that wait for the failed one, and steps that do not.
TEST(RunSteps, no_kernel_is_called_after_one_that_failed)
{
    HostBytes memory(512);
    StepList list;
    list.add_array(0, 64);
    for (const std::int64_t block : {0, 1, 0, 2, 3, 4, 5, 1}) {
        list.use(0, Access::inout, block_at(memory, 64 * block, 1, 64, 64));
        list.end_step();
    }
    for (int round = 0; round < 50; ++round) {
        DeviceSession session(make_host_device(), std::int64_t{1} << 20);
        Control control;
        Report report;
        std::vector<std::int64_t> called;
        const StepKernel kernel = [&](const StepView &step) {
            called.push_back(step.index);
            return step.index == round % 2 ? 1 : 0;
        };
        const auto error = support::error_of([&] { run_steps(session, list, kernel, {}, control, report); });
        EXPECT_EQ(error.status(), Status::callback);
        EXPECT_NE(std::string(error.what()).find("returned 1"), std::string::npos) << error.what();
        EXPECT_EQ(called, round % 2 == 0 ? std::vector<std::int64_t>{0} : (std::vector<std::int64_t>{0, 1}));
    }
}

TEST(RunSteps, a_block_may_be_read_twice_in_a_step)
{
    HostBytes memory(128, 3);
    StepList list;
    list.add_array(1, 64); // one buffer for both
    list.add_array(1, 64);
    list.use(0, Access::in, block_at(memory, 0, 1, 64, 64));
    list.use(0, Access::in, block_at(memory, 0, 1, 64, 64));
    list.use(1, Access::out, block_at(memory, 64, 1, 64, 64));
    list.end_step();
    DeviceSession session(make_host_device(), std::int64_t{1} << 20);
    Control control;
    Report report;
    const StepKernel kernel = [](const StepView &step) {
        const auto *a = static_cast<unsigned char *>(step.memory[0]), *b = static_cast<unsigned char *>(step.memory[1]);
        auto *c = static_cast<unsigned char *>(step.memory[2]);
        for (int k = 0; k < 64; ++k) c[k] = static_cast<unsigned char>(a[k] * b[k]);
        return 0;
    };
    run_steps(session, list, kernel, {}, control, report);
    EXPECT_EQ(HostBytes(memory.begin() + 64, memory.end()), HostBytes(64, 9));
    EXPECT_EQ(std::get<std::int64_t>(report.get("bytes_to_device")), 64);
    list.use(1, Access::in, block_at(memory, 0, 1, 64, 64));
    list.use(1, Access::out, block_at(memory, 0, 1, 64, 64));
    support::expect_error(Status::invalid_argument, {"blocks 0 and 1 of step 1 are the same", "hpart_pipeline_update"},
                          [&] { list.end_step(); });
}

TEST(RunSteps, buffers_that_do_not_fit_are_told_before_anything_runs)
{
    HostBytes memory(1 << 20);
    StepList list;
    list.add_array(0, 1 << 20);
    list.use(0, Access::in, block_at(memory, 0, 1, 1 << 20, 1 << 20));
    list.end_step();
    DeviceSession session(make_host_device(), std::int64_t{1} << 16);
    Control control;
    Report report;
    EXPECT_THROW(run_steps(
                     session, list, [](const StepView &) { return 0; }, {}, control, report),
                 Error);
}

} // namespace

} // namespace hpart

// The duties of every device, whatever its backend.
#include "core/error.hpp"
#include "host/cores.hpp"
#include "support/backends.hpp"
#include "support/errors.hpp"
#include "support/host_tasks.hpp"
#include "support/random.hpp"
#include "unit/pipeline/bytes.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <semaphore>
#include <thread>

namespace hpart
{

namespace
{

// Places of rectangles of a pitch in a piece of memory.
struct Place {
    std::int64_t offset, pitch;
};

class Conformance : public support::OnBackend
{
  protected:
    void TearDown() override
    {
        if (device_) support::expect_nothing_alive(*device_);
    }

    Event write_all(DeviceQueue &queue, DeviceBuffer &buffer, const Bytes &from, std::vector<Event> after = {})
    {
        const auto bytes = static_cast<std::int64_t>(from.size());
        return device_->write(queue, {&buffer, 0, bytes}, from.data(), bytes, {1, bytes}, after);
    }
    Event read_all(DeviceQueue &queue, DeviceBuffer &buffer, Bytes &to, std::vector<Event> after = {})
    {
        const auto bytes = static_cast<std::int64_t>(to.size());
        return device_->read(queue, {&buffer, 0, bytes}, to.data(), bytes, {1, bytes}, after);
    }
    Event task(DeviceQueue &queue, support::Task task, std::vector<Event> after = {})
    {
        return device_->launch(queue, support::host_task(*device_, std::move(task)), after);
    }
};

TEST_P(Conformance, TellsWhatItIs)
{
    const auto &info = device_->info();
    EXPECT_FALSE(info.spec.empty());
    EXPECT_FALSE(info.name.empty());
    EXPECT_FALSE(info.driver.empty());
    EXPECT_GE(info.compute_units, 1);
    EXPECT_GE(info.memory_bytes, info.largest_buffer_bytes);
    EXPECT_GT(info.largest_buffer_bytes, 0);
    EXPECT_GE(info.granule_bytes, 1);
}

TEST_P(Conformance, CopiesRectanglesAsMemcpyDoes)
{
    auto random = support::seeded(1);
    const auto queue = device_->make_queue();
    constexpr std::int64_t size = 10000;
    for (std::int64_t k = 0; k < support::how_many(0.05); ++k) {
        const Rectangle rectangle{support::between(random, 0, 12), support::between(random, 0, 70)};
        const auto place = [&]() -> Place {
            const bool packed = support::between(random, 0, 2) == 0;
            return {support::between(random, 0, 500),
                    std::max<std::int64_t>(1, rectangle.row_bytes + (packed ? 0 : support::between(random, 0, 300)))};
        };
        const auto in = place(), first = place(), second = place(), out = place();
        const auto one = device_->allocate(size), other = device_->allocate(size);
        const auto source = random_bytes(random, size), before_one = random_bytes(random, size),
                   before_other = random_bytes(random, size);
        auto target = random_bytes(random, size), result_one = Bytes(size), result_other = Bytes(size);
        auto expected_one = before_one, expected_other = before_other, expected = target;
        copy_rows(source.data() + in.offset, in.pitch, expected_one.data() + first.offset, first.pitch, rectangle);
        copy_rows(expected_one.data() + first.offset, first.pitch, expected_other.data() + second.offset, second.pitch,
                  rectangle);
        copy_rows(expected_other.data() + second.offset, second.pitch, expected.data() + out.offset, out.pitch,
                  rectangle);

        write_all(*queue, *one, before_one);
        write_all(*queue, *other, before_other);
        device_->write(*queue, {one.get(), first.offset, first.pitch}, source.data() + in.offset, in.pitch, rectangle,
                       {});
        device_->copy(*queue, {one.get(), first.offset, first.pitch}, {other.get(), second.offset, second.pitch},
                      rectangle, {});
        device_->read(*queue, {other.get(), second.offset, second.pitch}, target.data() + out.offset, out.pitch,
                      rectangle, {});
        read_all(*queue, *one, result_one);
        ASSERT_EQ(read_all(*queue, *other, result_other)->wait(), EventState::done);
        ASSERT_TRUE(result_one == expected_one && result_other == expected_other && target == expected)
            << "rectangle " << k << ": " << rectangle.rows << " rows of " << rectangle.row_bytes << "; offset, pitch "
            << in.offset << ", " << in.pitch << "; " << first.offset << ", " << first.pitch << "; " << second.offset
            << ", " << second.pitch << "; " << out.offset << ", " << out.pitch;
    }
}

TEST_P(Conformance, AnEmptyRectangleIsDoneAfterWhatItWaitsFor)
{
    const auto queue = device_->make_queue();
    const auto buffer = device_->allocate(100), other = device_->allocate(0);
    std::byte memory{};
    for (const auto rectangle : {Rectangle{0, 10}, Rectangle{10, 0}, Rectangle{0, 0}}) {
        EXPECT_EQ(device_->write(*queue, {buffer.get(), 0, 0}, &memory, 0, rectangle, {})->wait(), EventState::done);
        EXPECT_EQ(device_->read(*queue, {buffer.get(), 0, 0}, &memory, 0, rectangle, {})->wait(), EventState::done);
        EXPECT_EQ(device_->copy(*queue, {buffer.get(), 0, 0}, {other.get(), 0, 0}, rectangle, {})->wait(),
                  EventState::done);
    }
    const auto gate = device_->make_gate();
    if (!gate) return;
    const std::vector<Event> wait{gate};
    const std::vector<Event> events = {device_->write(*queue, {buffer.get(), 0, 0}, &memory, 0, {0, 10}, wait),
                                       device_->read(*queue, {buffer.get(), 0, 0}, &memory, 0, {0, 10}, wait),
                                       device_->copy(*queue, {buffer.get(), 0, 0}, {other.get(), 0, 0}, {0, 10}, wait)};
    for (const auto &event : events) EXPECT_EQ(event->state(), EventState::pending);
    device_->open_gate(gate, true);
    for (const auto &event : events) EXPECT_EQ(event->wait(), EventState::done);
}

TEST_P(Conformance, CommandsOfAQueueRunInOrder)
{
    const auto queue = device_->make_queue();
    std::vector<int> order;
    Event last;
    for (int k = 0; k < 200; ++k) last = task(*queue, [&order, k](auto) { order.push_back(k); });
    device_->flush(*queue);
    ASSERT_EQ(last->wait(), EventState::done);
    ASSERT_EQ(order.size(), 200);
    for (int k = 0; k < 200; ++k) EXPECT_EQ(order[static_cast<std::size_t>(k)], k);
}

TEST_P(Conformance, CommandsWaitForThoseOfOtherQueues)
{
    const std::unique_ptr<DeviceQueue> queues[] = {device_->make_queue(), device_->make_queue(), device_->make_queue()};
    constexpr int rounds = 100;
    int counter = 0;
    Event last = task(*queues[2], [](auto) {});
    device_->flush(*queues[2]);
    for (int k = 0; k < rounds; ++k) {
        last = task(*queues[k % 3], [&counter, k](auto) { counter = counter == k ? k + 1 : -1000; }, {last});
        device_->flush(*queues[k % 3]);
    }
    EXPECT_EQ(last->wait(), EventState::done);
    EXPECT_EQ(counter, rounds);
}

TEST_P(Conformance, TwoQueuesRunAtTheSameTime)
{
    const auto &info = device_->info();
    if (info.backend == Backend::opencl && usable_cores().size() < 2)
        GTEST_SKIP() << "copies run on the one compute unit, too";
    if (info.backend == Backend::cuda && support::has_real_cuda())
        GTEST_SKIP() << "the test's task keeps the thread that gives it";
    const auto one = device_->make_queue(), other = device_->make_queue();
    const auto buffer = device_->allocate(1 << 16);
    const Bytes data(1 << 16, std::byte{7});
    std::binary_semaphore began(0), copied(0);
    std::atomic<bool> waited_in_vain{false};
    const auto kernel = task(*one, [&](auto) {
        began.release();
        waited_in_vain = !copied.try_acquire_for(std::chrono::seconds(20));
    });
    device_->flush(*one);
    began.acquire();
    const auto copy = write_all(*other, *buffer, data);
    device_->flush(*other);
    EXPECT_EQ(copy->wait(), EventState::done); // although the kernel has not ended
    const auto state = kernel->state();
    copied.release();
    EXPECT_EQ(kernel->wait(), EventState::done);
    if (waited_in_vain && info.driver.find("PoCL") == std::string::npos)
        GTEST_SKIP() << "copies of " << info.driver << " wait for the kernel in another queue";
    EXPECT_EQ(state, EventState::pending);
    const auto of_kernel = kernel->interval(), of_copy = copy->interval();
    EXPECT_LE(of_kernel.start, of_kernel.end);
    EXPECT_LE(of_copy.start, of_copy.end);
    EXPECT_LE(of_copy.start, of_kernel.end);
    EXPECT_LE(of_kernel.start, of_copy.end);
}

TEST_P(Conformance, IntervalsFollowTheOrder)
{
    const auto queue = device_->make_queue();
    const auto buffer = device_->allocate(1 << 20);
    Bytes data(1 << 20);
    std::vector<Event> events = {write_all(*queue, *buffer, data)};
    events.push_back(task(*queue, [](auto) { std::this_thread::sleep_for(std::chrono::milliseconds(3)); }));
    events.push_back(read_all(*queue, *buffer, data));
    device_->flush(*queue);
    double before = 0;
    for (const auto &event : events) {
        ASSERT_EQ(event->wait(), EventState::done);
        const auto interval = event->interval();
        EXPECT_GE(interval.start, before);
        EXPECT_GE(interval.end, interval.start);
        before = interval.end;
    }
    EXPECT_GE(events[1]->interval().end - events[1]->interval().start, 0.003);
}

TEST_P(Conformance, AGateKeepsCommandsBack)
{
    const auto gate = device_->make_gate();
    if (!gate) GTEST_SKIP() << "no gates";
    const auto queue = device_->make_queue(), other = device_->make_queue();
    const auto buffer = device_->allocate(100);
    std::atomic<int> ran{0};
    const auto gated = task(*queue, [&](auto) { ++ran; }, {gate});
    const auto behind = task(*queue, [&](auto) { ++ran; });
    const Bytes from(100);
    const auto copy = write_all(*other, *buffer, from, {gate});
    device_->flush(*queue);
    device_->flush(*other);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(gate->state(), EventState::pending);
    EXPECT_EQ(ran, 0);
    EXPECT_EQ(copy->state(), EventState::pending);
    device_->open_gate(gate, true);
    EXPECT_EQ(gate->wait(), EventState::done);
    EXPECT_EQ(gated->wait(), EventState::done);
    EXPECT_EQ(behind->wait(), EventState::done);
    EXPECT_EQ(copy->wait(), EventState::done);
    EXPECT_EQ(ran, 2);
}

TEST_P(Conformance, WhatWaitsForAFailedCommandFailsWithoutEffect)
{
    const auto gate = device_->make_gate();
    if (!gate) GTEST_SKIP() << "no gates";
    const auto queue = device_->make_queue(), other = device_->make_queue();
    const auto buffer = device_->allocate(100), second = device_->allocate(100);
    const Bytes before(100, std::byte{1}), never(100, std::byte{2});
    Bytes read(100, std::byte{3}), read_never(100, std::byte{4});
    ASSERT_EQ(write_all(*queue, *buffer, before)->wait(), EventState::done);
    std::atomic<int> ran{0};
    std::vector<Event> dependents = {write_all(*queue, *buffer, never, {gate})};
    dependents.push_back(task(*other, [&](auto) { ++ran; }, {dependents.back()}));
    dependents.push_back(read_all(*other, *buffer, read_never, {dependents.back()}));
    device_->flush(*queue);
    device_->flush(*other);
    device_->open_gate(gate, false);
    EXPECT_EQ(gate->wait(), EventState::failed);
    for (const auto &event : dependents) {
        EXPECT_EQ(event->wait(), EventState::failed);
        EXPECT_EQ(event->state(), EventState::failed);
        EXPECT_FALSE(event->failure().empty());
    }
    // Given when that is long known.
    const auto late =
        std::vector{write_all(*queue, *buffer, never, {gate}), read_all(*queue, *buffer, read_never, {dependents[0]}),
                    device_->copy(*queue, {buffer.get(), 0, 100}, {second.get(), 0, 100}, {1, 100}, dependents),
                    task(*other, [&](auto) { ++ran; }, {dependents[1]})};
    for (const auto &event : late) EXPECT_EQ(event->wait(), EventState::failed);
    // The device goes on.
    EXPECT_EQ(read_all(*queue, *buffer, read)->wait(), EventState::done);
    EXPECT_EQ(task(*other, [](auto) {})->wait(), EventState::done);
    EXPECT_EQ(ran, 0);
    EXPECT_EQ(read, before);
    EXPECT_EQ(read_never, Bytes(100, std::byte{4}));
}

// A gate that fails while others give commands that wait for it: each must end.
TEST_P(Conformance, AGateMayFailAtAnyTime)
{
    if (!device_->make_gate()) GTEST_SKIP() << "no gates";
    const auto one = device_->make_queue(), other = device_->make_queue();
    const auto buffer = device_->allocate(64);
    const Bytes data(64);
    for (int round = 0; round < 60; ++round) {
        const auto gate = device_->make_gate();
        std::atomic<int> ran{0};
        std::vector<Event> events;
        std::thread failing([&] {
            std::this_thread::sleep_for(std::chrono::microseconds(20 * (round % 10)));
            device_->open_gate(gate, false);
        });
        for (int k = 0; k < 30; ++k) {
            auto &queue = k % 2 == 0 ? *one : *other;
            const auto first = task(queue, [&](auto) { ++ran; }, {gate});
            events.push_back(first);
            events.push_back(write_all(k % 3 == 0 ? *one : *other, *buffer, data, {first}));
            device_->flush(*one);
            device_->flush(*other);
        }
        failing.join();
        for (const auto &event : events) ASSERT_EQ(event->wait(), EventState::failed);
        EXPECT_EQ(ran, 0);
    }
}

TEST_P(Conformance, ALaunchThatThrowsIsToldOf)
{
    const auto queue = device_->make_queue();
    const auto fails = [](LaunchContext &) { fail(Status::numerical, "on purpose"); };
    try {
        const auto event = device_->launch(*queue, fails, {});
        EXPECT_EQ(event->wait(), EventState::failed);
        EXPECT_EQ(event->failure(), "on purpose");
    } catch (const Error &error) {
        EXPECT_EQ(error.status(), Status::numerical);
    }
    EXPECT_EQ(task(*queue, [](auto) {})->wait(), EventState::done);
}

TEST_P(Conformance, MoreMemoryThanThereIsIsRefused)
{
    const auto &info = device_->info();
    for (const auto bytes :
         {info.largest_buffer_bytes + 1, std::int64_t{1} << 50, std::numeric_limits<std::int64_t>::max()}) {
        support::expect_error(Status::out_of_memory, {}, [&] { device_->allocate(bytes); });
    }
}

TEST_P(Conformance, WorksInTheHostsMemory)
{
    Bytes memory(4096 + 64, std::byte{5});
    if (!device_->info().shares_host_memory) {
        if (device_->info().backend == Backend::opencl) {
            EXPECT_THROW(device_->wrap_host(memory.data(), 64), Error);
        }
        return;
    }
    const auto queue = device_->make_queue();
    auto wrapped = device_->wrap_host(memory.data(), static_cast<std::int64_t>(memory.size()));
    const auto add_one = [&](auto memories) {
        for (std::size_t k = 0; k < memory.size(); ++k) memories[0][k] = static_cast<std::byte>(6);
    };
    EXPECT_EQ(device_->launch(*queue, support::host_task(*device_, add_one, {wrapped.get()}), {})->wait(),
              EventState::done);
    wrapped.reset();
    EXPECT_EQ(memory, Bytes(memory.size(), std::byte{6}));
}

TEST_P(Conformance, PinnedMemoryIsMemory)
{
    constexpr std::int64_t bytes = 100000;
    const auto in = device_->allocate_pinned(bytes), out = device_->allocate_pinned(bytes);
    const auto buffer = device_->allocate(bytes);
    const auto queue = device_->make_queue();
    std::memset(in->data(), 17, bytes);
    std::memset(out->data(), 0, bytes);
    device_->write(*queue, {buffer.get(), 0, bytes}, in->data(), bytes, {1, bytes}, {});
    EXPECT_EQ(device_->read(*queue, {buffer.get(), 0, bytes}, out->data(), bytes, {1, bytes}, {})->wait(),
              EventState::done);
    EXPECT_EQ(std::memcmp(in->data(), out->data(), bytes), 0);
}

TEST_P(Conformance, KernelsSeeWhatWasWritten)
{
    auto random = support::seeded(2);
    const auto queue = device_->make_queue();
    const auto other = device_->allocate(1000), buffer = device_->allocate(1000); // not in the order of their use
    const auto data = random_bytes(random, 1000);
    Bytes result(1000);
    write_all(*queue, *buffer, data);
    const auto flip = [](auto memories) {
        for (int k = 0; k < 1000; ++k) memories[1][k] = ~memories[0][k];
    };
    device_->launch(*queue, support::host_task(*device_, flip, {buffer.get(), other.get()}), {});
    EXPECT_EQ(read_all(*queue, *other, result)->wait(), EventState::done);
    for (std::size_t k = 0; k < data.size(); ++k) EXPECT_EQ(result[k], ~data[k]);
}

// Several threads with queues and buffers of their own, and one queue for all.
TEST_P(Conformance, ManyThreadsMayUseIt)
{
    const auto common = device_->make_queue();
    std::atomic<int> ran{0};
    constexpr int threads = 4, rounds = 50;
    const auto work = [&](int number) {
        auto random = support::seeded(static_cast<std::uint64_t>(100 + number));
        const auto queue = device_->make_queue();
        for (int k = 0; k < rounds; ++k) {
            const auto bytes = support::between(random, 1, 5000);
            const auto buffer = device_->allocate(bytes);
            const auto data = random_bytes(random, bytes);
            Bytes result(data.size());
            const auto written = write_all(*queue, *buffer, data);
            device_->flush(*queue);
            const auto counted = task(*common, [&](auto) { ++ran; }, {written});
            device_->flush(*common);
            EXPECT_EQ(read_all(*queue, *buffer, result, {counted})->wait(), EventState::done);
            EXPECT_EQ(result, data);
        }
    };
    std::vector<std::thread> team;
    for (int k = 0; k < threads; ++k) team.emplace_back(work, k);
    for (auto &thread : team) thread.join();
    EXPECT_EQ(ran, threads * rounds);
}

INSTANTIATE_TEST_SUITE_P(Devices, Conformance, testing::ValuesIn(support::all_backend_cases()), support::backend_name);

} // namespace

} // namespace hpart

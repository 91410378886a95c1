// CUDA devices on the fake driver.
#include "core/error.hpp"
#include "fake.hpp"
#include "out_of_card/devices/cuda_driver.hpp"
#include "support/errors.hpp"

#include <cstring>
#include <thread>

using namespace hpart;

namespace
{

using Bytes = std::vector<unsigned char>;

class CudaDevices : public fake::Test
{
};

Status status_of(const std::function<void()> &call) { return support::error_of(call).status(); }

Bytes any_bytes(fake::Random &random, std::int64_t count)
{
    Bytes bytes(static_cast<std::size_t>(count));
    for (auto &byte : bytes) byte = static_cast<unsigned char>(random());
    return bytes;
}

TEST_F(CudaDevices, ALibraryThatIsNotThereIsUnsupportedAndNamed)
{
    support::expect_error(Status::unsupported, {"/nowhere/libcuda.so.1"}, [] {
        make_cuda_device(0, {"/nowhere/libcuda.so.1", "", ""});
    });
    EXPECT_TRUE(list_cuda_devices({"/nowhere/libcuda.so.1", "", ""}).empty());
}

TEST_F(CudaDevices, ALibraryWithoutTheFunctionsIsUnsupported)
{
    support::expect_error(Status::unsupported, {"cuInit"}, [] { make_cuda_device(0, {"libm.so.6", "", ""}); });
}

TEST_F(CudaDevices, ANumberBeyondTheDevicesTellsHowManyThereAre)
{
    support::expect_error(Status::device, {"cuda:1 is not there; the CUDA driver finds 1 device, cuda:0"},
                          [] { fake::open(1); });
    EXPECT_EQ(status_of([] { fake::open(-1); }), Status::device);
    fake_cuda::reset({.devices = 0});
    support::expect_error(Status::device, {"the CUDA driver finds no device on this machine"}, [] { fake::open(); });
}

TEST_F(CudaDevices, TellWhatTheyAre)
{
    fake_cuda::reset({.devices = 2, .memory_bytes = 1 << 24});
    const auto device = fake::open(1);
    const auto &info = device->info();
    EXPECT_EQ(info.spec, "cuda:1");
    EXPECT_EQ(info.name, "Fake CUDA device");
    EXPECT_EQ(info.driver, "CUDA 12.4");
    EXPECT_EQ(info.backend, Backend::cuda);
    EXPECT_FALSE(info.on_host_cores);
    EXPECT_FALSE(info.shares_host_memory);
    EXPECT_TRUE(info.double_precision);
    EXPECT_EQ(info.compute_units, 2);
    EXPECT_EQ(info.memory_bytes, (1 << 24) / 16 * 15);
    const auto listed = list_cuda_devices(fake::libraries);
    ASSERT_EQ(listed.size(), 2);
    EXPECT_EQ(listed[1].spec, "cuda:1");
    EXPECT_EQ(listed[1].memory_bytes, 1 << 24);
}

// Rectangles on the host and on the device, by random copies in random queues, each after the one before; against the same
// copies of plain memory.
struct RandomCopies {
    static constexpr std::int64_t bytes = 4096;
    fake::Random &random;
    Device &device;
    std::unique_ptr<DeviceBuffer> buffers[2];
    std::unique_ptr<PinnedMemory> pinned;
    std::unique_ptr<DeviceQueue> queues[3];
    Bytes plain, plain_copy, pinned_copy, buffer_copies[2];
    Event last;

    RandomCopies(fake::Random &r, Device &d) : random(r), device(d), plain(any_bytes(r, bytes)), plain_copy(plain)
    {
        for (auto &buffer : buffers) buffer = device.allocate(bytes);
        for (auto &queue : queues) queue = device.make_queue();
        pinned = device.allocate_pinned(bytes);
        pinned_copy = any_bytes(random, bytes);
        std::memcpy(pinned->data(), pinned_copy.data(), bytes);
        for (std::size_t b = 0; b < 2; ++b) {
            buffer_copies[b] = any_bytes(random, bytes);
            last =
                device.write(*queues[0], {buffers[b].get(), 0, bytes}, buffer_copies[b].data(), bytes, {1, bytes}, {});
            EXPECT_EQ(last->wait(), EventState::done);
        }
    }
    ~RandomCopies()
    {
        if (last) last->wait();
    }

    struct Place {
        std::int64_t offset, pitch;
    };
    Place place(const Rectangle &r)
    {
        const auto most = r.rows > 1 ? (bytes - r.row_bytes) / (r.rows - 1) : r.row_bytes + 9;
        const auto pitch = fake::between(random, 0, 2) == 0 ? r.row_bytes : fake::between(random, r.row_bytes, most);
        return {fake::between(random, 0, bytes - std::max<std::int64_t>(0, (r.rows - 1) * pitch + r.row_bytes)), pitch};
    }
    static void copy_rows(const Bytes &from, Place from_place, Bytes &to, Place to_place, const Rectangle &r)
    {
        for (std::int64_t row = 0; row < r.rows; ++row)
            std::memmove(to.data() + to_place.offset + row * to_place.pitch,
                         from.data() + from_place.offset + row * from_place.pitch,
                         static_cast<std::size_t>(r.row_bytes));
    }

    void one()
    {
        Rectangle r{fake::between(random, 0, 9), 0};
        r.row_bytes = fake::between(random, 0, 3) == 0 ? 0 : fake::between(random, 1, bytes / 10);
        const auto session = place(r), host = place(r);
        auto &queue = *queues[fake::between(random, 0, 2)];
        const auto b = static_cast<std::size_t>(fake::between(random, 0, 1));
        const std::vector<Event> after{last};
        const bool use_pinned = fake::between(random, 0, 3) != 0;
        auto *const memory = (use_pinned ? static_cast<unsigned char *>(pinned->data()) : plain.data()) + host.offset;
        auto &memory_copy = use_pinned ? pinned_copy : plain_copy;
        switch (fake::between(random, 0, 2)) {
        case 0:
            last = device.write(queue, {buffers[b].get(), session.offset, session.pitch}, memory, host.pitch, r, after);
            copy_rows(memory_copy, host, buffer_copies[b], session, r);
            break;
        case 1:
            last = device.read(queue, {buffers[b].get(), session.offset, session.pitch}, memory, host.pitch, r, after);
            copy_rows(buffer_copies[b], session, memory_copy, host, r);
            break;
        default:
            last = device.copy(queue, {buffers[b].get(), session.offset, session.pitch},
                               {buffers[1 - b].get(), host.offset, host.pitch}, r, after);
            copy_rows(buffer_copies[b], session, buffer_copies[1 - b], host, r);
        }
        device.flush(queue);
    }

    void compare()
    {
        ASSERT_EQ(last->wait(), EventState::done);
        EXPECT_EQ(plain, plain_copy);
        EXPECT_EQ(std::memcmp(pinned->data(), pinned_copy.data(), bytes), 0);
        for (std::size_t b = 0; b < 2; ++b) {
            Bytes read(bytes);
            last = device.read(*queues[0], {buffers[b].get(), 0, bytes}, read.data(), bytes, {1, bytes}, {});
            ASSERT_EQ(last->wait(), EventState::done);
            EXPECT_EQ(read, buffer_copies[b]);
        }
    }
};

TEST_F(CudaDevices, CopyRectanglesInTheOrderOfTheirEvents)
{
    auto random = fake::seeded(1);
    for (std::int64_t i = 0; i < fake::instances(60); ++i) {
        fake_cuda::Settings settings;
        settings.longest_delay_microseconds = i % 3 == 0 ? 200 : 0;
        settings.refuses_pitches_on_device = i % 7 == 0;
        settings.copies_pageable_later = i % 2 == 0;
        settings.largest_pitch = i % 5 == 0 ? 300 : settings.largest_pitch; // beyond it, row by row
        fake_cuda::reset(settings);
        {
            const auto device = fake::open();
            RandomCopies copies(random, *device);
            for (int c = 0; c < 60; ++c) copies.one();
            copies.compare();
        }
        fake::expect_clean();
        if (HasFailure()) FAIL() << "instance " << i;
    }
}

TEST_F(CudaDevices, TimesOfCommandsFollowTheirOrder)
{
    fake_cuda::reset({.longest_delay_microseconds = 500});
    const auto device = fake::open();
    const auto buffer = device->allocate(64), other = device->allocate(64);
    const auto queue = device->make_queue(), next_queue = device->make_queue();
    Event before;
    std::vector<Event> events;
    for (int i = 0; i < 20; ++i) {
        const std::vector<Event> after = before ? std::vector{before} : std::vector<Event>{};
        before = device->copy(i % 2 == 0 ? *queue : *next_queue, {buffer.get(), 0, 64}, {other.get(), 0, 64}, {1, 64},
                              after);
        events.push_back(before);
    }
    double end = 0;
    constexpr double rounding = 1e-5; // of a float of milliseconds
    for (const auto &event : events) {
        ASSERT_EQ(event->wait(), EventState::done);
        const auto interval = event->interval();
        EXPECT_GE(interval.start, end - rounding);
        EXPECT_GE(interval.end, interval.start);
        EXPECT_LT(interval.end, 60);
        end = interval.end;
    }
}

TEST_F(CudaDevices, TheClockGoesOnWhenItsBaseIsRenewed)
{
    const auto context = std::make_shared<CudaContext>(fake::libraries, 0);
    CudaClock clock(context, 0);
    const CudaCurrent current(*context);
    double last = 0;
    for (int i = 0; i < 20; ++i) {
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        const auto base = clock.base();
        EXPECT_GE(base.seconds, last + 5e-5);
        last = base.seconds;
    }
    EXPECT_LT(last, 60);
}

TEST_F(CudaDevices, AFailedCommandFailsAllThatWasNotSeenDone)
{
    for (std::int64_t k = 1; k <= 6; ++k) {
        fake_cuda::reset();
        {
            const auto device = fake::open();
            const auto buffer = device->allocate(64), other = device->allocate(64);
            const auto queue = device->make_queue(), next_queue = device->make_queue();
            const auto copy = [&](DeviceQueue &in, const std::vector<Event> &after) {
                return device->copy(in, {buffer.get(), 0, 64}, {other.get(), 0, 64}, {1, 64}, after);
            };
            const auto seen = copy(*queue, {});
            ASSERT_EQ(seen->wait(), EventState::done);
            fake_cuda::fail_command(k, 700);
            std::vector<Event> events{seen};
            const std::string lasting =
                "CUDA_ERROR_ILLEGAL_ADDRESS (700); this process can no longer use CUDA: start another";
            for (int i = 0; i < 6; ++i) {
                const auto error = support::error_of(
                    [&] { events.push_back(copy(i % 2 == 0 ? *queue : *next_queue, {events.back()})); });
                // By then the driver may or may not have got to the command that fails.
                if (error.status() == Status::success) continue;
                EXPECT_EQ(error.status(), Status::device);
                EXPECT_NE(std::string(error.what()).find(lasting), std::string::npos) << error.what();
            }
            bool failed = false;
            for (std::size_t i = 1; i < events.size(); ++i) {
                const auto state = events[i]->wait();
                EXPECT_NE(state, EventState::pending);
                EXPECT_TRUE(!failed || state == EventState::failed);
                failed = failed || state == EventState::failed;
                if (failed) {
                    EXPECT_EQ(events[i]->failure(), lasting);
                    EXPECT_EQ(events[i]->interval().end, 0);
                }
            }
            EXPECT_EQ(seen->state(), EventState::done);
            EXPECT_EQ(status_of([&] { copy(*queue, {}); }), Status::device);
            EXPECT_EQ(status_of([&] { device->allocate(1); }), Status::device);
        }
        fake::expect_clean();
    }
}

// All that a device can do; false when a command failed.
bool use_all(const CudaLibraries &libraries)
{
    const auto device = make_cuda_device(0, libraries);
    const auto buffer = device->allocate(1024), other = device->allocate(1024);
    const auto pinned = device->allocate_pinned(1024);
    std::memset(pinned->data(), 7, 1024);
    const auto in = device->make_queue(), out = device->make_queue();
    std::vector<Event> events;
    struct Drain {
        std::vector<Event> &events;
        ~Drain()
        {
            for (const auto &event : events) event->wait();
        }
    } const drain{events};
    events.push_back(device->write(*in, {buffer.get(), 0, 64}, pinned->data(), 32, {16, 32}, {}));
    events.push_back(device->launch(
        *out, [](LaunchContext &) {}, events));
    events.push_back(device->copy(*out, {buffer.get(), 0, 64}, {other.get(), 0, 32}, {16, 32}, events));
    events.push_back(device->read(*out, {other.get(), 0, 512}, pinned->data(), 512, {1, 512}, events));
    bool done = true;
    for (const auto &event : events) {
        done = event->wait() == EventState::done && done;
        event->interval();
        EXPECT_TRUE(done || !event->failure().empty());
    }
    return done;
}

TEST_F(CudaDevices, AnyCallMayFailAndNothingIsLost)
{
    fake_cuda::reset();
    ASSERT_TRUE(use_all(fake::libraries));
    const auto calls = fake_cuda::calls();
    EXPECT_GT(calls, 50);
    std::int64_t failed = 0, ignored = 0;
    for (std::int64_t k = 1; k <= calls; ++k)
        for (const int code : {2, 719}) {
            fake_cuda::reset();
            fake_cuda::fail_call(k, code);
            const auto status = status_of([&] {
                if (!use_all(fake::libraries)) fail(Status::device, "a command failed");
            });
            // If only an attribute or a time is not known, the work goes on.
            ++(status == Status::success ? ignored : failed);
            EXPECT_TRUE(status == Status::success || status == Status::device ||
                        (code == 2 && status == Status::out_of_memory))
                << "call " << k << ", code " << code;
            fake::expect_clean();
        }
    EXPECT_GT(failed, ignored);
}

TEST_F(CudaDevices, WhatIsToldToHaveFailedUsesNoMemoryAnyMore)
{
    fake_cuda::reset({.longest_delay_microseconds = 3000});
    {
        const auto device = fake::open();
        const auto queue = device->make_queue();
        std::int64_t failures = 0;
        for (std::int64_t k = 1; k <= 8; ++k) {
            const auto buffer = device->allocate(64);
            const auto pinned = device->allocate_pinned(64);
            Event event;
            fake_cuda::fail_call(k, 1);
            const auto status = status_of([&] {
                event = device->read(*queue, {buffer.get(), 0, 64}, pinned->data(), 64, {1, 64}, {});
            });
            fake_cuda::fail_call(0, 0);
            if (status == Status::success)
                EXPECT_EQ(event->wait(), EventState::done);
            else
                ++failures;
        }
        EXPECT_GE(failures, 4); // both events' making and marks, and the copy
    }
}

TEST_F(CudaDevices, AnyCommandMayFailAndNothingIsLost)
{
    for (std::int64_t k = 1; k <= 3; ++k) {
        fake_cuda::reset();
        fake_cuda::fail_command(k, 719);
        EXPECT_EQ(status_of([&] {
                      if (!use_all(fake::libraries)) fail(Status::device, "a command failed");
                  }),
                  Status::device);
        fake::expect_clean();
    }
}

TEST_F(CudaDevices, TakeCallsOfSeveralThreads)
{
    fake_cuda::reset({.longest_delay_microseconds = 20});
    const auto device = fake::open();
    std::vector<std::thread> threads;
    for (std::uint64_t t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            auto random = fake::seeded(100 + t);
            RandomCopies copies(random, *device);
            for (int c = 0; c < 100; ++c) copies.one();
            copies.compare();
            EXPECT_EQ(fake_cuda::current_contexts(), 0);
        });
    for (auto &thread : threads) thread.join();
    EXPECT_EQ(device->census().events, 0);
    EXPECT_EQ(device->census().buffers, 0);
    EXPECT_EQ(device->census().pinned, 0);
    EXPECT_EQ(device->census().queues, 0);
}

TEST_F(CudaDevices, WorkInTheHostsMemoryWhereTheyShareIt)
{
    fake_cuda::reset({.integrated = true, .reads_pageable_memory = true});
    {
        const auto device = fake::open();
        ASSERT_TRUE(device->info().shares_host_memory);
        auto random = fake::seeded(2);
        auto memory = any_bytes(random, 1000);
        const auto before = memory;
        const auto wrapped = device->wrap_host(memory.data(), 1000);
        const auto buffer = device->allocate(1000);
        const auto queue = device->make_queue();
        const auto event = device->copy(*queue, {wrapped.get(), 0, 100}, {buffer.get(), 0, 100}, {5, 100}, {});
        EXPECT_EQ(device->copy(*queue, {buffer.get(), 0, 100}, {wrapped.get(), 500, 100}, {5, 100}, std::vector{event})
                      ->wait(),
                  EventState::done);
        EXPECT_EQ(std::memcmp(memory.data() + 500, before.data(), 500), 0);
    }
    fake::expect_clean();
    fake_cuda::reset({.integrated = true});
    const auto device = fake::open();
    EXPECT_FALSE(device->info().shares_host_memory);
    int memory = 0;
    EXPECT_EQ(status_of([&] { device->wrap_host(&memory, sizeof memory); }), Status::unsupported);
}

} // namespace

// The result of a flow is that of its commands one after another, whatever runs at once.
#include "out_of_card/pipeline/flow.hpp"
#include "support/backends.hpp"
#include "support/host_tasks.hpp"

#include "bytes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <thread>

namespace hpart
{

namespace
{

using support::between;

constexpr std::int64_t buffers_of_flow = 3, arrays_of_flow = 8, bytes_of_each = 240;

struct Part {
    std::size_t which = 0; // buffer or array
    std::int64_t first = 0, pitch = 1;
    Rectangle rectangle;

    template <typename Visit> void each_byte(const Visit &visit) const
    {
        for (std::int64_t row = 0; row < rectangle.rows; ++row)
            for (std::int64_t k = 0; k < rectangle.row_bytes; ++k)
                visit(static_cast<std::size_t>(first + row * pitch + k),
                      static_cast<std::size_t>(row * rectangle.row_bytes + k));
    }
};

// A kernel: what it writes depends on all that it reads, on what was there and on its number.
void mix(std::byte *to, const Part &written, const std::byte *from, const Part &read, unsigned number)
{
    unsigned sum = number * 31 + 7;
    read.each_byte([&](std::size_t at, std::size_t) { sum = sum * 33 + static_cast<unsigned>(from[at]); });
    written.each_byte([&](std::size_t at, std::size_t k) {
        to[at] = static_cast<std::byte>(sum + static_cast<unsigned>(k) * 5 + 3 * static_cast<unsigned>(to[at]));
    });
}

class Hazards : public support::OnBackend
{
  protected:
    Part any_part(const Rectangle &rectangle, std::size_t count)
    {
        Part part{static_cast<std::size_t>(between(random_, 0, static_cast<std::int64_t>(count) - 1)), 0, 1, rectangle};
        // Mostly of one distance, side by side.
        const auto pitch = between(random_, 0, 3) > 0 ? std::int64_t{16} : between(random_, 4, 40);
        part.pitch = std::max(pitch, rectangle.row_bytes);
        part.first = between(random_, 0, bytes_of_each - (rectangle.rows - 1) * part.pitch - rectangle.row_bytes);
        return part;
    }
    Rectangle any_rectangle() { return {between(random_, 1, 4), between(random_, 1, 16)}; }

    void run(const FlowOptions &options, bool pinned)
    {
        DeviceSession session(device_, std::nullopt);
        std::vector<SessionBuffer> memory;
        for (std::int64_t k = 0; k < buffers_of_flow; ++k) memory.push_back(session.allocate(bytes_of_each));
        const auto of_first = device_->allocate_pinned(bytes_of_each);
        if (pinned) session.pinned_ranges().add(of_first->data(), bytes_of_each);
        std::array<Bytes, arrays_of_flow> plain;
        std::array<std::byte *, arrays_of_flow> host{};
        for (std::size_t k = 0; k < arrays_of_flow; ++k) {
            plain[k].resize(bytes_of_each);
            host[k] = k == 0 ? static_cast<std::byte *>(of_first->data()) : plain[k].data();
        }
        // The same, one command after another.
        std::array<Bytes, buffers_of_flow> on_device;
        std::array<Bytes, arrays_of_flow> on_host;
        for (auto &bytes : on_device) bytes = random_bytes(random_, bytes_of_each);
        for (std::size_t k = 0; k < arrays_of_flow; ++k) {
            on_host[k] = random_bytes(random_, bytes_of_each);
            std::copy(on_host[k].begin(), on_host[k].end(), host[k]);
        }
        const auto side = [&](const Part &part) {
            return BufferSide{memory[part.which].get(), part.first, part.pitch};
        };
        Control control;
        Flow flow(session, control, options);
        for (std::size_t k = 0; k < buffers_of_flow; ++k)
            flow.write({memory[k].get(), 0, bytes_of_each}, on_device[k].data(), bytes_of_each, {1, bytes_of_each});
        for (std::size_t k = 0; k < buffers_of_flow; ++k)
            flow.wait_for({nullptr, host_block(on_device[k].data(), bytes_of_each, {1, bytes_of_each})});
        const bool in_bursts = between(random_, 0, 1) == 1;
        const auto commands = between(random_, 1, 40);
        for (unsigned number = 0; number < static_cast<unsigned>(commands); ++number) {
            const auto rectangle = any_rectangle();
            const auto there = any_part(rectangle, buffers_of_flow), here = any_part(rectangle, arrays_of_flow);
            auto &device_bytes = on_device[there.which];
            auto &host_bytes = on_host[here.which];
            // More reads in a row than staging has chunks: a thread gives the last ones late.
            switch (in_bursts && between(random_, 0, 2) > 0 ? 1 : between(random_, 0, 5)) {
            case 0:
                flow.write(side(there), host[here.which] + here.first, here.pitch, rectangle);
                copy_rows(host_bytes.data() + here.first, here.pitch, device_bytes.data() + there.first, there.pitch,
                          rectangle);
                break;
            case 1:
                flow.read(side(there), host[here.which] + here.first, here.pitch, rectangle);
                copy_rows(device_bytes.data() + there.first, there.pitch, host_bytes.data() + here.first, here.pitch,
                          rectangle);
                break;
            case 2: {
                auto to = any_part(rectangle, buffers_of_flow);
                if (to.which == there.which) to.which = (to.which + 1) % buffers_of_flow;
                flow.copy(side(there), side(to), rectangle);
                copy_rows(device_bytes.data() + there.first, there.pitch, on_device[to.which].data() + to.first,
                          to.pitch, rectangle);
                break;
            }
            case 3:
            case 4: {
                const auto written = any_part(any_rectangle(), buffers_of_flow);
                const auto kernel = [written, there, number, in_bursts](auto memories) {
                    if (in_bursts) std::this_thread::sleep_for(std::chrono::microseconds(200));
                    mix(memories[0], written, memories[1], there, number);
                };
                flow.launch(
                    support::host_task(*device_, kernel, {memory[written.which].get(), memory[there.which].get()}),
                    {area_of(side(there), rectangle)}, {area_of(side(written), written.rectangle)});
                mix(on_device[written.which].data(), written, device_bytes.data(), there, number);
                break;
            }
            default: // the host looks, and changes what it found
                flow.wait_for({nullptr, host_block(host[here.which] + here.first, here.pitch, rectangle)});
                here.each_byte([&](std::size_t at, std::size_t) {
                    ASSERT_EQ(host[here.which][at], host_bytes[at]);
                    host[here.which][at] = host_bytes[at] = static_cast<std::byte>(random_());
                });
            }
            if (between(random_, 0, in_bursts ? 20 : 3) == 0) flow.next_step(-1, "steps");
        }
        std::array<Bytes, buffers_of_flow> found;
        for (std::size_t k = 0; k < buffers_of_flow; ++k) {
            found[k].resize(bytes_of_each);
            flow.read({memory[k].get(), 0, bytes_of_each}, found[k].data(), bytes_of_each, {1, bytes_of_each});
        }
        flow.finish();
        for (std::size_t k = 0; k < buffers_of_flow; ++k) ASSERT_TRUE(found[k] == on_device[k]) << "buffer " << k;
        for (std::size_t k = 0; k < arrays_of_flow; ++k)
            ASSERT_TRUE(std::equal(on_host[k].begin(), on_host[k].end(), host[k])) << "array " << k;
        if (pinned) session.pinned_ranges().remove(of_first->data());
    }

    support::Random random_ = support::seeded(29);
};

TEST_P(Hazards, RandomCommandsGiveWhatTheyGiveOneAfterAnother)
{
    for (std::int64_t instance = 0; instance < support::how_many(0.1) && !HasFailure(); ++instance) {
        FlowOptions options;
        options.lookahead = static_cast<int>(instance % 4);
        options.in_one_queue = instance % 3 == 1;
        options.staging = instance % 5 == 0 ? StagingMode::never : StagingMode::always;
        options.shortest_direct_row = instance % 4 == 0 ? 8 : 0;
        SCOPED_TRACE(instance);
        run(options, instance % 2 == 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, Hazards, testing::ValuesIn(support::all_backend_cases()), support::backend_name);

} // namespace

} // namespace hpart

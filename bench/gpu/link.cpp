// The link between the device and the host's memory, and what the driver's calls cost.
#include "core/error.hpp"
#include "sections.hpp"

#include <cmath>

namespace gpu_bench
{

namespace
{

using namespace hpart;

constexpr int copies = 4;

struct Ends {
    std::unique_ptr<DeviceQueue> queue;
    std::unique_ptr<DeviceBuffer> buffer;
    std::unique_ptr<PinnedMemory> memory;
    Ends(Device &device, std::int64_t bytes)
        : queue(device.make_queue()), buffer(device.allocate(bytes)), memory(device.allocate_pinned(bytes))
    {
    }
};

void expect_done(const Event &event)
{
    if (event->wait() != EventState::done) fail(Status::device, "a copy failed: ", event->failure());
}

// Seconds of so many rectangles in and out; the wall's.
double seconds_of_copies(Device &device, Ends &in, Ends &out, const Rectangle &r, std::int64_t pitch, bool go_in,
                         bool go_out)
{
    return seconds_of([&] {
        Event last_in, last_out;
        for (int i = 0; i < copies; ++i) {
            if (go_in)
                last_in = device.write(*in.queue, {in.buffer.get(), 0, r.row_bytes}, in.memory->data(), pitch, r, {});
            if (go_out)
                last_out =
                    device.read(*out.queue, {out.buffer.get(), 0, r.row_bytes}, out.memory->data(), pitch, r, {});
            device.flush(*in.queue);
            device.flush(*out.queue);
        }
        if (last_in) expect_done(last_in);
        if (last_out) expect_done(last_out);
    });
}

} // namespace

Link measure_link(const Subject &subject, Results &results)
{
    auto &device = *subject.device;
    const auto bytes =
        subject.is_small ? std::int64_t{1} << 20 : std::min(std::int64_t{256} << 20, device.info().memory_bytes / 8);
    Ends in(device, bytes), out(device, bytes);
    const Rectangle whole{1, bytes};
    const auto rate = [&](const Rectangle &r, std::int64_t pitch, bool go_in, bool go_out) {
        seconds_of_copies(device, in, out, r, pitch, go_in, go_out);
        const auto seconds = seconds_of_copies(device, in, out, r, pitch, go_in, go_out);
        return (go_in && go_out ? 2 : 1) * copies * static_cast<double>(r.bytes()) / seconds;
    };
    const Link link{rate(whole, bytes, true, false), rate(whole, bytes, false, true), rate(whole, bytes, true, true)};
    results.add({{"device", subject.spec},
                 {"operation", "link"},
                 {"in", number(link.in)},
                 {"out", number(link.out)},
                 {"both", number(link.both)}});
    results.say(text(subject.spec, " link, pinned: in ", number(link.in * 1e-9), ", out ", number(link.out * 1e-9),
                     ", both at once ", number(link.both * 1e-9), " GB/s"));
    // Rows of a wider matrix: some drivers copy each on its own.
    for (const std::int64_t row_bytes : {256, 4096, 65536}) {
        const Rectangle r{bytes / row_bytes / 2, row_bytes};
        const auto to = rate(r, 2 * row_bytes, true, false), from = rate(r, 2 * row_bytes, false, true);
        results.add({{"device", subject.spec},
                     {"operation", "link_rows"},
                     {"row_bytes", text(row_bytes)},
                     {"in", number(to)},
                     {"out", number(from)}});
        results.say(text(subject.spec, " link, rows of ", row_bytes, " bytes: in ", number(to * 1e-9), ", out ",
                         number(from * 1e-9), " GB/s"));
    }
    // A small command from its giving to its seen end, and times that make sense.
    const Rectangle small{1, 64};
    constexpr int commands = 200;
    double start = -1;
    const auto seconds = seconds_of([&] {
        for (int i = 0; i < commands; ++i) {
            const auto event = device.write(*in.queue, {in.buffer.get(), 0, 64}, in.memory->data(), 64, small, {});
            device.flush(*in.queue);
            expect_done(event);
            const auto interval = event->interval();
            if (interval.start < start || interval.end < interval.start)
                results.fail(subject.spec + " tells times that go backwards");
            start = interval.start;
        }
    });
    results.say(text(subject.spec, " a small copy, given and waited for: ", number(seconds / commands * 1e6), " us"));
    return link;
}

// Arrays far larger than what a link's address translation keeps, and all directions at once.
void measure_far_link(const Subject &subject, const Place &place, Results &results)
{
    auto &device = *subject.device;
    const auto pitch = subject.is_small ? std::int64_t{1} << 12 : std::int64_t{1} << 19;
    const auto half = place.bytes / 2, rows = half / pitch;
    const auto in = device.make_queue(), out = device.make_queue();
    const auto measure = [&](const char *name, const Rectangle &r, std::int64_t step) {
        const auto bytes = r.bytes();
        const auto to = device.allocate(bytes), from = device.allocate(bytes);
        const auto pieces = std::min<std::int64_t>(16, (step < pitch ? pitch : half) / step);
        const auto rate = [&](bool go_in, bool go_out) {
            const auto seconds = seconds_of([&] {
                Event last_in, last_out;
                for (std::int64_t k = 0; k < pieces; ++k) {
                    auto *const at = place.data + k * step;
                    if (go_in) last_in = device.write(*in, {to.get(), 0, r.row_bytes}, at, pitch, r, {});
                    if (go_out) last_out = device.read(*out, {from.get(), 0, r.row_bytes}, at + half, pitch, r, {});
                    device.flush(*in);
                    device.flush(*out);
                }
                if (last_in) expect_done(last_in);
                if (last_out) expect_done(last_out);
            });
            return (go_in && go_out ? 2 : 1) * static_cast<double>(pieces * bytes) / seconds;
        };
        rate(true, true);
        const auto link = Link{rate(true, false), rate(false, true), rate(true, true)};
        results.add({{"device", subject.spec},
                     {"operation", "far_link"},
                     {"what", name},
                     {"in", number(link.in)},
                     {"out", number(link.out)},
                     {"both", number(link.both)}});
        results.say(text(subject.spec, " far link, ", name, ": in ", number(link.in * 1e-9), ", out ",
                         number(link.out * 1e-9), ", both at once ", number(link.both * 1e-9), " GB/s"));
    };
    const auto piece = std::min(half / 4, std::int64_t{1} << 27) / pitch * pitch;
    measure("pieces", {1, piece}, piece);
    measure("whole rows", {piece / pitch, pitch}, piece);
    measure("most of each row", {piece / pitch, pitch / 4 * 3}, piece);
    measure("rows of 4096 bytes", {rows, std::min<std::int64_t>(4096, pitch / 4)},
            std::min<std::int64_t>(4096, pitch / 4));
}

} // namespace gpu_bench

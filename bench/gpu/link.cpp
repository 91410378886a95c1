// The link between the device and the host's memory, and what the driver's calls cost.
#include "core/error.hpp"
#include "host_data.hpp"
#include "out_of_card/devices/cuda_driver.hpp"
#include "sections.hpp"

#include <cmath>
#include <sys/mman.h>

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

namespace
{

// Arrays far larger than what a link's address translation keeps, in pieces and in rows, each way and both at once.
void measure_far(const Subject &subject, char *data, std::int64_t bytes, const char *memory, Results &results)
{
    auto &device = *subject.device;
    const auto pitch = subject.is_small ? std::int64_t{1} << 12 : std::int64_t{1} << 19;
    const auto half = bytes / 2 / pitch * pitch, rows = half / pitch;
    const auto in = device.make_queue(), out = device.make_queue();
    const auto measure = [&](const std::string &name, const Rectangle &r, std::int64_t step) {
        const auto to = device.allocate(r.bytes()), from = device.allocate(r.bytes());
        const auto pieces = std::min<std::int64_t>(16, (step < pitch ? pitch : half) / step);
        const auto rate = [&](bool go_in, bool go_out) {
            const auto seconds = seconds_of([&] {
                Event last_in, last_out;
                for (std::int64_t k = 0; k < pieces; ++k) {
                    auto *const at = data + k * step;
                    if (go_in) last_in = device.write(*in, {to.get(), 0, r.row_bytes}, at, pitch, r, {});
                    if (go_out) last_out = device.read(*out, {from.get(), 0, r.row_bytes}, at + half, pitch, r, {});
                    device.flush(*in);
                    device.flush(*out);
                }
                if (last_in) expect_done(last_in);
                if (last_out) expect_done(last_out);
            });
            return (go_in && go_out ? 2 : 1) * static_cast<double>(pieces * r.bytes()) / seconds;
        };
        rate(true, true);
        const auto link = Link{rate(true, false), rate(false, true), rate(true, true)};
        results.add({{"device", subject.spec},
                     {"operation", "far_link"},
                     {"memory", memory},
                     {"what", name},
                     {"in", number(link.in)},
                     {"out", number(link.out)},
                     {"both", number(link.both)}});
        results.say(text(subject.spec, " far link, ", memory, ", ", name, ": in ", number(link.in * 1e-9), ", out ",
                         number(link.out * 1e-9), ", both at once ", number(link.both * 1e-9), " GB/s"));
    };
    const auto piece = std::min(half / 4, std::int64_t{1} << 27) / pitch * pitch;
    measure("pieces", {1, piece}, piece);
    measure("most of each row", {piece / pitch, pitch / 4 * 3}, piece);
    for (auto row_bytes = std::min<std::int64_t>(1024, pitch / 4);
         row_bytes <= std::min<std::int64_t>(32768, pitch / 4); row_bytes *= 2)
        measure(text("rows of ", row_bytes, " bytes"), {rows, row_bytes}, row_bytes);
}

// Memory of the process that the driver is told of.
class Registered
{
  public:
    Registered(const CudaContext &context, std::int64_t bytes, bool has_large_pages)
        : context_(context), library_("the CUDA driver", {context.driver().name()}),
          bytes_(static_cast<std::size_t>(bytes)),
          memory_(mmap(nullptr, bytes_ + large_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
    {
        if (memory_ == MAP_FAILED) fail(Status::out_of_memory, "no memory to register");
        const auto address = reinterpret_cast<std::uintptr_t>(memory_);
        data_ = static_cast<char *>(memory_) + (large_page - address % large_page) % large_page;
        madvise(data_, bytes_, has_large_pages ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
        fill(reinterpret_cast<double *>(data_), bytes / 8, 4);
        int (*add)(void *, std::size_t, unsigned) = nullptr;
        library_.bind(add, "cuMemHostRegister_v2");
        library_.bind(remove_, "cuMemHostUnregister");
        constexpr unsigned portable = 1;
        const CudaCurrent current(context_);
        int result = 0;
        seconds_ = seconds_of([&] { result = add(data_, bytes_, portable); });
        if (result != 0) fail(Status::device, "cuMemHostRegister returns ", result);
    }
    Registered(const Registered &) = delete;
    Registered &operator=(const Registered &) = delete;
    ~Registered()
    {
        if (const CudaCurrent current(context_, std::nothrow); current) remove_(data_);
        munmap(memory_, bytes_ + large_page);
    }
    char *data() const { return data_; }
    double seconds() const { return seconds_; }

  private:
    static constexpr std::size_t large_page = std::size_t{2} << 20;
    const CudaContext &context_;
    DynamicLibrary library_;
    std::size_t bytes_;
    void *memory_;
    char *data_ = nullptr;
    int (*remove_)(void *) = nullptr;
    double seconds_ = 0;
};

} // namespace

void measure_far_link(const Subject &subject, const Place &place, Results &results)
{
    measure_far(subject, place.data, place.bytes, place.name, results);
}

void measure_registration(const Subject &subject, Results &results)
{
    if (!subject.is_cuda() || subject.is_small) return;
    const CudaContext context(subject.libraries, subject.cuda_number());
    for (const bool has_large_pages : {false, true}) {
        const auto bytes = std::min(subject.host_bytes, std::int64_t{10} << 30);
        const Registered memory(context, bytes, has_large_pages);
        const auto *const name = has_large_pages ? "registered, pages of 2 MB" : "registered, pages of 4 kB";
        results.say(text(subject.spec, " ", name, ": ", number(memory.seconds() / static_cast<double>(bytes) * 1e9),
                         " seconds a GB to register"));
        measure_far(subject, memory.data(), bytes, name, results);
    }
}

} // namespace gpu_bench

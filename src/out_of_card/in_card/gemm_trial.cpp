#include "out_of_card/in_card/gemm_trial.hpp"

#include "core/error.hpp"
#include "core/progress.hpp"
#include "out_of_card/in_card/padding.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <random>
#include <vector>

namespace hpart
{

namespace
{

// Bytes of A, B and C, with rows as far apart as the operations have them.
std::array<std::int64_t, 3> bytes_of_operands(const GemmSize &size, Scalar type)
{
    const auto bytes = [type](std::int64_t rows, std::int64_t columns) {
        return rows * padded_row(columns, type) * bytes_of(type);
    };
    return {bytes(size.m, size.k), bytes(size.k, size.n), bytes(size.m, size.n)};
}

bool fits(const DeviceSession &session, const InCardGemm &kernel, const GemmSize &size)
{
    const auto free = session.memory_limit() - session.used(), largest_buffer = session.info().largest_buffer_bytes;
    if (padded_row(std::max({size.m, size.n, size.k}), kernel.type()) > kernel.largest_side()) return false;
    auto sum = scratch_taken(session, kernel, size.m, size.n, size.k);
    for (const auto bytes : bytes_of_operands(size, kernel.type())) {
        if (bytes > largest_buffer) return false;
        sum += session.taken_by(bytes);
    }
    return sum <= free;
}

// Rates hang on the block of C more than on a depth that is a quarter of its sides.
GemmSize shrunk(const GemmSize &size)
{
    const auto half = [](std::int64_t side) { return std::max<std::int64_t>(1, side / 2); };
    if (size.k > 1 && 4 * size.k > std::min(size.m, size.n)) return {size.m, size.n, half(size.k)};
    return {half(size.m), half(size.n), size.k};
}

void wait_for(const Event &event)
{
    if (event->wait() != EventState::done)
        fail(event->failure_status(), "a kernel that was to be timed failed with ", event->failure());
}

// Any numbers, again and again: with ones units take less power, and a GPU's clock is a fifth higher.
template <typename Real>
void fill(DeviceSession &session, DeviceQueue &queue, const SessionBuffer &buffer, std::int64_t bytes)
{
    constexpr std::int64_t most_bytes = std::int64_t{1} << 20;
    auto filled = std::min(bytes, most_bytes);
    std::vector<Real> values(static_cast<std::size_t>(filled) / sizeof(Real));
    std::minstd_rand random;
    for (auto &value : values) value = std::uniform_real_distribution<Real>(-1, 1)(random);
    auto event = session.device().write(queue, {buffer.get(), 0, filled}, values.data(), filled, {1, filled}, {});
    try {
        for (; filled < bytes; filled *= 2) {
            const auto more = std::min(filled, bytes - filled);
            event = session.device().copy(queue, {buffer.get(), 0, more}, {buffer.get(), filled, more}, {1, more}, {});
        }
        session.device().flush(queue);
    } catch (...) {
        event->wait(); // it reads what goes
        throw;
    }
    wait_for(event);
}

} // namespace

GemmTrial::GemmTrial(DeviceSession &session, InCardGemm &kernel, GemmSize largest)
    : session_(session), kernel_(kernel), largest_(largest), queue_(session.device().make_queue())
{
    const auto is_least = [&] { return largest_.m * largest_.n * largest_.k <= 1; };
    for (;; largest_ = shrunk(largest_), whole_ = false) {
        if (!fits(session, kernel, largest_) && !is_least()) continue;
        try {
            make_operands();
            return;
        } catch (const Error &error) { // the device has less than the account: libraries and others take of it, too
            if (error.status() != Status::out_of_memory || is_least()) throw;
        }
    }
}

void GemmTrial::make_operands()
{
    const auto make = [&](SessionBuffer &buffer, std::int64_t bytes) {
        buffer.release();
        buffer = session_.allocate(bytes);
        if (is_double(kernel_.type()))
            fill<double>(session_, *queue_, buffer, bytes);
        else
            fill<float>(session_, *queue_, buffer, bytes);
    };
    const auto [a, b, c] = bytes_of_operands(largest_, kernel_.type());
    make(a_, a);
    make(b_, b);
    make(c_, c);
    scratch_.release();
    scratch_ = allocate_scratch(session_, kernel_, largest_.m, largest_.n, largest_.k);
}

double GemmTrial::run(const GemmSize &size, int times)
{
    DeviceGemm what;
    what.m = size.m;
    what.n = size.n;
    what.k = size.k;
    what.beta = 1;
    what.a = {a_.get(), 0, padded_row(size.k, kernel_.type())};
    what.b = {b_.get(), 0, padded_row(size.n, kernel_.type())};
    what.c = {c_.get(), 0, padded_row(size.n, kernel_.type())};
    what.scratch = scratch_.get();
    std::vector<Event> events;
    events.reserve(static_cast<std::size_t>(times));
    const auto start = Clock::now();
    for (int time = 0; time < times; ++time)
        events.push_back(session_.device().launch(*queue_, kernel_.product(what), {}));
    session_.device().flush(*queue_);
    for (const auto &event : events) wait_for(event);
    const auto by_host = seconds_since(start), by_device = events.back()->interval().end - events[0]->interval().start;
    const bool is_known = session_.info().backend == Backend::cuda && by_device > 0; // others may not know
    return std::max(is_known ? by_device : by_host, clock_tick_seconds);
}

void GemmTrial::warm_up()
{
    constexpr double seconds_of_clocks = 0.05;
    for (const auto begin = Clock::now(); seconds_since(begin) < seconds_of_clocks;) run(largest_, 8);
}

double GemmTrial::seconds(const GemmSize &size, int most_runs, double budget_seconds)
{
    constexpr double long_enough = 1e-3; // beside the way to the device and back
    constexpr int most_in_a_row = 128;
    run(size, 1);
    auto least = std::numeric_limits<double>::infinity();
    const auto begin = Clock::now();
    for (int time = 0, in_a_row = 1; time < most_runs && (time == 0 || seconds_since(begin) < budget_seconds); ++time) {
        least = std::min(least, run(size, in_a_row) / in_a_row);
        in_a_row = std::clamp(static_cast<int>(long_enough / least), in_a_row, most_in_a_row);
    }
    return least;
}

double GemmTrial::launch_seconds()
{
    constexpr int in_a_row = 8, turns = 4;
    const GemmSize size{std::min(kernel_.row_multiple(), largest_.m), std::min(kernel_.column_multiple(), largest_.n),
                        1};
    run(size, 1);
    // The least: the times of steps lose this time, so an excess would make them too short.
    auto least = std::numeric_limits<double>::infinity();
    for (int turn = 0; turn < turns; ++turn) least = std::min(least, run(size, in_a_row) / in_a_row);
    return least;
}

} // namespace hpart

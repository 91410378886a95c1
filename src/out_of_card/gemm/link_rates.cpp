#include "out_of_card/gemm/link_rates.hpp"
#include "core/progress.hpp"
#include "out_of_card/pipeline/flow.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace hpart
{

namespace
{

constexpr std::int64_t row_bytes = 1024, host_pitch_bytes = 2 * row_bytes; // of a panel in the midst of a matrix
constexpr std::int64_t most_rows = 4096;
constexpr int runs = 4; // the best of them counts
constexpr const char *profile_name = "link.rates";

// Rectangles to and from a card, in time.
class Trial
{
  public:
    Trial(Card &card, std::int64_t rows)
        : in_(card.allocate(rows * row_bytes)), out_(card.allocate(rows * row_bytes)),
          from_(static_cast<std::size_t>(rows * host_pitch_bytes), 1), to_(from_.size()), flow_(card, control_)
    {
        seconds(rows, true, true); // memory is touched for the first time
    }

    double least_seconds(std::int64_t rows, bool in, bool out)
    {
        auto least = std::numeric_limits<double>::infinity();
        for (int run = 0; run < runs; ++run) least = std::min(least, seconds(rows, in, out));
        return least;
    }

  private:
    double seconds(std::int64_t rows, bool in, bool out)
    {
        const auto begin = Clock::now();
        Event written, read;
        if (in) written = flow_.write({in_.get(), 0, row_bytes}, from_.data(), host_pitch_bytes, {rows, row_bytes});
        if (out) read = flow_.read({out_.get(), 0, row_bytes}, to_.data(), host_pitch_bytes, {rows, row_bytes});
        flow_.wait_for(written);
        flow_.wait_for(read);
        return seconds_since(begin);
    }

    CardBuffer in_, out_;
    std::vector<char> from_, to_;
    Control control_;
    Flow flow_; // goes before what its commands use
};

std::vector<double> measure(Card &card)
{
    constexpr std::int64_t buffers = 2;
    const auto room = std::min((card.memory_limit() - card.used()) / buffers, card.info().largest_buffer_bytes);
    const auto rows = std::clamp<std::int64_t>(room / row_bytes, 2, most_rows);
    Trial trial(card, rows);
    const auto copy = trial.least_seconds(1, true, false);
    const auto rate = [&](bool in, bool out) {
        const auto bytes = static_cast<double>((in ? 1 : 0) + (out ? 1 : 0)) * static_cast<double>(rows * row_bytes);
        const auto seconds = trial.least_seconds(rows, in, out);
        return bytes / std::max(seconds - copy, seconds / 2);
    };
    return {rate(true, false), rate(false, true), rate(true, true), copy};
}

} // namespace

LinkRates measured_link(Card &card)
{
    auto values = card.profile().numbers(profile_name);
    if (!values || values->size() != 4) {
        values = measure(card);
        card.profile().keep(profile_name, *values);
    }
    return {(*values)[0], (*values)[1], (*values)[2], (*values)[3]};
}

} // namespace hpart

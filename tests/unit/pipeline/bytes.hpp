// Bytes that go to a device and come back.
#pragma once

#include "out_of_card/pipeline/flow.hpp"
#include "support/host_tasks.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

namespace hpart
{

using Bytes = std::vector<std::byte>;

inline Bytes random_bytes(support::Random &random, std::int64_t count)
{
    Bytes bytes(static_cast<std::size_t>(count));
    for (auto &byte : bytes) byte = static_cast<std::byte>(random());
    return bytes;
}

inline void copy_rows(const std::byte *from, std::int64_t from_pitch, std::byte *to, std::int64_t to_pitch,
                      const Rectangle &rectangle)
{
    for (std::int64_t row = 0; row < rectangle.rows; ++row)
        std::memcpy(to + row * to_pitch, from + row * from_pitch, static_cast<std::size_t>(rectangle.row_bytes));
}

inline Bytes one_more(Bytes bytes)
{
    for (auto &byte : bytes) byte = static_cast<std::byte>(static_cast<int>(byte) + 1);
    return bytes;
}

// Adds one to each byte, block by block through two slots.
inline Bytes add_one_to_all(DeviceSession &session, const Bytes &in, std::int64_t block, const FlowOptions &options,
                            FlowRecord &record)
{
    Bytes out(in.size());
    const SessionBuffer ring[] = {session.allocate(block), session.allocate(block)};
    Control control;
    Flow flow(session, control, options);
    const auto count = static_cast<std::int64_t>(in.size());
    for (std::int64_t first = 0, step = 0; first < count; first += block, ++step) {
        const auto now = std::min(block, count - first);
        auto &slot = ring[step % 2];
        const BufferSide side{slot.get(), 0, now};
        flow.write(side, in.data() + first, now, {1, now});
        const auto add_one = [now](auto memories) {
            for (std::int64_t k = 0; k < now; ++k)
                memories[0][k] = static_cast<std::byte>(static_cast<int>(memories[0][k]) + 1);
        };
        flow.launch(support::host_task(session.device(), add_one, {slot.get()}), {}, {area_of(side, {1, now})});
        flow.read(side, out.data() + first, now, {1, now});
        flow.next_step(0.5, "blocks");
    }
    flow.finish();
    record = flow.record();
    return out;
}

} // namespace hpart

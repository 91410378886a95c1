// The rates of the link between host and device.
#pragma once

#include "out_of_card/devices/device_session.hpp"

namespace hpart
{

struct LinkRates {
    double in_bytes_per_second = 1e10, out_bytes_per_second = 1e10;
    double both_bytes_per_second = 1e10; // in total, both ways at once
    double copy_seconds = 5e-6;          // of each copy, besides its bytes
    double row_seconds = 1e-8;           // of each row of a rectangle, besides its bytes

    // Both ways at once is no faster than one: they take turns.
    bool is_half_duplex() const
    {
        constexpr double margin = 1.15; // below it the gain is that of a measurement's noise
        return both_bytes_per_second <
               margin * (in_bytes_per_second > out_bytes_per_second ? in_bytes_per_second : out_bytes_per_second);
    }

    // The link of data that is staged at so many bytes per second, both ways together.
    LinkRates staged_at(double bytes_per_second) const
    {
        auto staged = *this;
        for (auto *rate : {&staged.in_bytes_per_second, &staged.out_bytes_per_second, &staged.both_bytes_per_second})
            if (*rate > bytes_per_second) *rate = bytes_per_second;
        return staged;
    }

    // Rectangles whose rows are shorter than this travel slower than what is staged: a row's own time is
    // more than a quarter of its bytes'.
    std::int64_t shortest_direct_row() const
    {
        const auto slower = in_bytes_per_second < out_bytes_per_second ? in_bytes_per_second : out_bytes_per_second;
        return static_cast<std::int64_t>(4 * row_seconds * slower);
    }
};

// Under which name a session keeps them.
constexpr const char *name_of_link_rates = "link rates";

// Measured at the first call for this device, in less than 0.2 s, within what is free of its memory, from pinned memory where the
// device has its own; kept with the device. The device's in_use is held.
LinkRates measured_link(DeviceSession &session);

} // namespace hpart

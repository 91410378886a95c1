// The values of the fake library's one device that tests set.
#pragma once

#include <atomic>

namespace fake_nvml
{

constexpr const char *bus = "0000:65:00.0";

struct DeviceSession {
    std::atomic<unsigned> devices{1};
    std::atomic<double> watts{150};
    std::atomic<double> joules{0};
    std::atomic<bool> has_energy{true};
    std::atomic<int> failure{0};  // what every reading returns
    std::atomic<int> sessions{0}; // begun and not ended
    std::atomic<int> init_result{0};
};

DeviceSession &session();
void reset();

} // namespace fake_nvml

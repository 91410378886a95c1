// A device that a user has opened, and the frame of every operation on it.
#pragma once

#include "c_api/handles.hpp"
#include "core/progress.hpp"
#include "energy/meter.hpp"
#include "hpart.h"
#include "out_of_card/devices/registry.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

struct PinnedEntry {
    std::unique_ptr<hpart::PinnedMemory> memory{}; // null: memory of the caller's that no device pins
    std::int64_t bytes = 0;
    bool is_callers = false;
};

struct hpart_device {
    hpart::DeviceGroup devices;
    hpart::Options defaults; // of its operations
    std::mutex pinned_mutex{};
    std::map<void *, PinnedEntry, std::less<>> pinned{};
};

namespace hpart::c_api
{

// The options of an operation: what the call sets, then what the device was opened with.
Options operation_options(const hpart_device &device, const hpart_options *options, Call call);

// The trace that option trace_file asks for; the operation's own options then have it. Null without the option.
std::shared_ptr<Timeline> traced(Options &settings);
// An operation that gave no commands to a device is one command.
void write_trace(Timeline &trace, const hpart_device &device, const Report &about);

// Runs operation(devices, options, report), argument checks included. The caller gets the report on success, after Status::numerical, since
// it then has the position, and if the trace alone could not be written. An operation that runs out of memory before it changes anything
// throws an Error; any other exception may come from its middle.
template <typename Operation>
hpart_status operate(hpart_device *device, const hpart_options *options, Call call, hpart_report **report,
                     Operation &&operation) noexcept
{
    bool may_be_changed = false;
    const auto status = guarded([&] {
        require(device, "device");
        auto settings = operation_options(*device, options, call);
        auto about = std::make_unique<hpart_report>();
        const auto trace = traced(settings);
        try {
            operation(device->devices, settings, about->value);
        } catch (const Error &error) {
            if (error.status() == Status::numerical && report != nullptr) *report = about.release();
            throw;
        } catch (...) {
            may_be_changed = settings.find_int("dry_run").value_or(0) != 1;
            throw;
        }
        try {
            if (trace) write_trace(*trace, *device, about->value);
        } catch (const Error &) { // the result is complete
            if (report != nullptr) *report = about.release();
            throw;
        }
        if (report != nullptr) *report = about.release();
    });
    if (!may_be_changed || status != HPART_ERR_OUT_OF_MEMORY) return status;
    return remember(Status::device, "out of memory on the host; what the call writes may be changed in part");
}

} // namespace hpart::c_api

// The object behind hpart_meter.

struct hpart_meter {
    hpart::Meter value;
};

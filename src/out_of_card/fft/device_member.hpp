// A device's part in a call: its implementation of transforms, its rates, and its plan.
#pragma once

#include "out_of_card/fft/plan.hpp"
#include "out_of_card/pipeline/device_team.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hpart
{

struct FftMember {
    DeviceSession *session = nullptr;
    std::shared_ptr<InCardFft> engine;
    FftRates rates;
    FftPlan plan;
    FlowOptions flow;
    bool is_staged = false; // all that moves
};

// A device's part of a call.
struct FftDevicePart {
    const DeviceSession *session = nullptr;
    double share = 0, seconds = 0;
};

struct FftAccount : Account {
    std::string on_host; // what of it the host did, and why
    std::vector<FftDevicePart> of_devices;

    FftAccount() { kernel = "fftw"; }
    // Another that was made after this; plan and pieces are the last one's.
    void add(const FftAccount &later);
    // For so many like it, none of which was done.
    void repeat(std::int64_t times);
    // Makes one part for each device of a list; a device without work has zeros.
    void name_all(const DeviceGroup &devices);
    void report(Report &report) const;
};

// With the implementation that is asked for, or the fastest on this device. Nothing where none for the device is built in.
std::optional<FftMember> fft_member(DeviceSession &session, bool is_double, const Options &options);

// True if the call's arrays are not pinned for the device: transfers are staged.
void note_arrays(FftMember &member, const FftCall &call);

// In the memory that is still free. asked: "model", or the plan's name.
FftPlanning planning_for(const FftMember &member, std::string_view asked, const FftShare &share = {});

// Makes all plans of the implementation, before anything is written; what they take is known then. Why it cannot, or
// empty; Status::out_of_memory where they take more than is left.
std::string prepare(FftMember &member);

// The best plan that the implementation can make, prepared: where it refuses a shape, or one needs more memory than was
// estimated, another. False where there is none; `refusal`: what the implementation said. Status::out_of_memory as above.
bool plan_and_prepare(const FftProblem &problem, const FftPlanning &planning, FftMember &member, std::string &refusal);

// Corrects the prediction by the kernels of one slab of each pass, timed on the plan's own memory: the rates are of usual lines,
// and others differ twofold.
void time_kernels(FftMember &member);

// Called when a call has all the memory that it needs, before it reads or writes the caller's arrays.
using FftBeginning = std::function<void()>;

// Waits for all devices that share a transform; false if one of them has failed.
using FftMeeting = std::function<bool()>;

// A device's plan. begin: called when it has all the memory that it needs; meet: between the passes, null for one device alone.
// Nothing where one of them was false.
std::optional<FlowRecord> run_plan(const FftMember &member, Control &control, const FftMeeting &begin,
                                   const FftMeeting &meet = nullptr);

// A transform on several devices at once: each makes its share of the first pass, and when all have, its share of the second. The
// devices are the caller's for as long as this takes. Empty when it was done; else why not: nothing was written then.
std::string fft_on_several_devices(std::vector<FftMember> members, const FftCall &call, const Options &options,
                                   FftAccount &account, const FftBeginning &begin);

// Option zero_copy: whether this device works on the host's memory.
bool uses_host_memory(const DeviceSession &session, const Options &options);

// True if an array of the call can hold the work, and the implementation has its shapes.
bool can_be_in_host_memory(const FftMember &member, const FftProblem &problem);

// Nothing where it cannot be; then nothing was written.
std::optional<FlowRecord> transform_in_host_memory(FftMember &member, const FftProblem &problem, Control &control,
                                                   const FftBeginning &begin);

} // namespace hpart

// The parts of the measurement; each says what it finds and leaves the rest out when the time is up.
#pragma once

#include "core/error.hpp"
#include "cublasxt.hpp"
#include "out_of_card/devices/registry.hpp"
#include "results.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace gpu_bench
{

// Memory for large arrays: pinned by the device, or the heap's.
struct Place {
    std::unique_ptr<hpart::PinnedMemory> pinned;
    std::unique_ptr<char[]> plain;
    char *data = nullptr;
    std::int64_t bytes = 0;
    const char *name;
    // Pinned memory is half of what is asked for, or a quarter ..., where the device gives no more at once.
    Place(hpart::Device &device, std::int64_t wanted, bool is_pinned);
};

// A device under measurement.
struct Subject {
    std::string spec;
    std::shared_ptr<hpart::Device> device;
    std::int64_t host_bytes = 0;                    // that arrays may take
    bool is_small = false;                          // a trial of this program, not a measurement
    std::shared_ptr<hpart::DeviceSession> measured; // whose link's rates all sessions have
    hpart::CudaLibraries libraries;

    void open();
    // A session, with a memory limit of its own. Arrays in a pinned place are copied without staging.
    hpart::DeviceGroup devices(std::optional<std::int64_t> limit_bytes, const Place *place = nullptr) const;
    bool is_cuda() const { return device->info().backend == hpart::Backend::cuda; }
    int cuda_number() const;
};

// Bytes a second between the device and pinned memory.
struct Link {
    double in = 0, out = 0, both = 0;
};

Link measure_link(const Subject &subject, Results &results);
void measure_far_link(const Subject &subject, const Place &place, Results &results);
// The cost of making the process's own memory known to the driver, and the rates of the link with it.
void measure_registration(const Subject &subject, Results &results);
// cuSOLVER's panels and whole matrices, and its pivots beside LAPACK's.
void measure_cusolver(const Subject &subject, Results &results);
// Bytes a second that threads copy from plain memory to pinned, as transfers of plain memory are staged.
void measure_packing(const Subject &subject, Results &results);
// The costs of cuFFT's plans, in seconds and in memory beside the work area.
void measure_fft_plans(const Subject &subject, Results &results);
// A device opened and closed in turn, and one used by a forked process. Nothing has it open before.
void check_sessions(Subject subject, Results &results);
// Small shapes in small memory against plain loops.
void check_products(const Subject &subject, Results &results);
void check_transforms(const Subject &subject, Results &results);
// Large ones, in time: those of double precision first.
void time_products(const Subject &subject, const Link &link, const Place &place, Results &results);
void time_other_types(const Subject &subject, const Link &link, const Place &place, Results &results);
void time_sizes(const Subject &subject, const Link &link, const Place &place, Results &results);
void time_transforms(const Subject &subject, const Link &link, const Place &place, Results &results);
void time_factorisations(const Subject &subject, const Place &place, Results &results);

// A row's note about odd values of a report: staged transfers of pinned memory, work on the host, impossible times.
std::string note_of(const hpart::Report &report, const Place &place, Results &results);

// Calls job, and says what it throws: one part that cannot run does not end the others.
template <typename Job> void guarded(Results &results, const std::string &what, const Job &job)
{
    try {
        job();
    } catch (const hpart::Error &error) {
        if (error.status() == hpart::Status::unsupported)
            results.say(what + ": left out: " + error.what());
        else
            results.fail(what + ": " + error.what());
    } catch (const std::exception &error) {
        results.fail(what + ": " + error.what());
    }
}

} // namespace gpu_bench

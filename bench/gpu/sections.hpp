// The parts of the measurement; each says what it finds and leaves the rest out when the time is up.
#pragma once

#include "core/error.hpp"
#include "cublasxt.hpp"
#include "out_of_card/devices/registry.hpp"
#include "results.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace gpu_bench
{

// A device under measurement. Cards are opened anew for each limit.
struct Subject {
    std::string spec;
    std::shared_ptr<hpart::Device> device;
    std::int64_t host_bytes = 0; // that arrays may take
    bool is_small = false;       // a trial of this program, not a measurement
    hpart::CudaLibraries libraries;

    hpart::Cards cards(std::int64_t limit_bytes) const
    {
        hpart::Cards cards;
        cards.cards.push_back(std::make_shared<hpart::Card>(device, limit_bytes));
        return cards;
    }
};

// Memory for large arrays: pinned by the device, or the heap's.
struct Place {
    std::unique_ptr<hpart::PinnedMemory> pinned;
    std::unique_ptr<char[]> plain;
    char *data = nullptr;
    const char *name;
    Place(hpart::Device &device, std::int64_t bytes, bool is_pinned) : name(is_pinned ? "pinned" : "plain")
    {
        if (is_pinned)
            pinned = device.allocate_pinned(bytes);
        else
            plain.reset(new char[static_cast<std::size_t>(bytes)]); // not yet touched
        data = is_pinned ? static_cast<char *>(pinned->data()) : plain.get();
    }
};

// Bytes a second between the card and pinned memory.
struct Link {
    double in = 0, out = 0, both = 0;
};

Link measure_link(const Subject &subject, Results &results);
// Small shapes in small memory against plain loops.
void check_products(const Subject &subject, Results &results);
void check_transforms(const Subject &subject, Results &results);
// Large ones, in time.
void time_products(const Subject &subject, const Link &link, Results &results);
void time_transforms(const Subject &subject, const Link &link, Results &results);
void time_factorisations(const Subject &subject, Results &results);

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

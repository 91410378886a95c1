// The devices that every operation is tested on, and runs of the operations on them.
#pragma once

#include "core/error.hpp"
#include "store.hpp"
#include "support/backends.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace factor_test
{

// A device, under a memory limit or with all that it has.
struct Backend {
    const support::BackendCase *device = nullptr;
    std::optional<std::int64_t> memory_limit;
};
void PrintTo(const Backend &backend, std::ostream *out);

// An operation's ending.
struct Outcome {
    hpart::Status status = hpart::Status::success;
    std::string message;
    hpart::Report report;
    std::int64_t info() const;
};

template <typename Operation>
Outcome run(hpart::DeviceGroup &cards, const hpart::Options &options, const Operation &operation)
{
    Outcome outcome;
    try {
        operation(cards, options, outcome.report);
    } catch (const hpart::Error &error) {
        outcome.status = error.status();
        outcome.message = error.what();
    }
    return outcome;
}

// Blocks of so many columns.
hpart::Options of_width(std::int64_t width);

class OnBackends : public testing::TestWithParam<Backend>
{
  protected:
    void SetUp() override;
    // Instances, a share of the usual number.
    std::int64_t how_many(double share) const;
    hpart::DeviceGroup cards_;
};

std::vector<Backend> all_backends();
std::string name_of_backend(const testing::TestParamInfo<Backend> &backend);

} // namespace factor_test

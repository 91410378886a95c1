// The devices that every operation is tested on, the operations, and runs of them.
#pragma once

#include "core/error.hpp"
#include "store.hpp"
#include "support/backends.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace factor_test
{

// A device, under a memory limit or with all that it has.
struct Backend {
    support::BackendCase device;
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

template <typename Call> Outcome run(hpart::DeviceGroup &devices, const hpart::Options &options, const Call &call)
{
    Outcome outcome;
    try {
        call(devices, options, outcome.report);
    } catch (const hpart::Error &error) {
        outcome.status = error.status();
        outcome.message = error.what();
    }
    return outcome;
}

// An operation on two square matrices, of which it changes some.
struct Operation {
    std::string name;
    std::function<void(hpart::DeviceGroup &, const hpart::Options &, Store &, Store &, hpart::Report &)> run;
};

// Symmetric and diagonally dominant: every factorisation of it ends well.
Store a_matrix(std::int64_t n);

// First those that change one matrix, which getrf, potrf and geqrf have first; syrk, trsm, getrs, potrs, ormqr and the products
// change the second one.
const std::vector<Operation> &operations();

struct Lu {
    std::vector<std::int64_t> pivots;
    Outcome outcome;
};
Lu factor_lu(hpart::DeviceGroup &devices, const hpart::Options &options, Store &a);

// Blocks of so many columns.
hpart::Options of_width(std::int64_t width);

class OnBackends : public testing::TestWithParam<Backend>
{
  protected:
    void SetUp() override;
    // Instances, a share of the usual number.
    std::int64_t how_many(double share) const;
    hpart::DeviceGroup devices_;
};

std::vector<Backend> all_backends();
std::string name_of_backend(const testing::TestParamInfo<Backend> &backend);

} // namespace factor_test

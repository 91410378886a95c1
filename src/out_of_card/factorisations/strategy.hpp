// Which of several devices do an operation, and whether its memory is enough, before anything is written.
#pragma once

#include "out_of_card/factorisations/blocking.hpp"
#include "out_of_card/pipeline/device_team.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace hpart
{

// Counts the operation on these devices; none is the host alone.
using CountOn = std::function<OperationCount(const DeviceGroup &devices)>;

struct Choice {
    DeviceGroup devices;
    OperationCount count;
    double seconds = 0;                     // predicted; where there was a choice
    std::shared_ptr<Correction> correction; // of such predictions, kept with the first of the list; else null
};

// Chooses from a list the devices of least predicted seconds: one, which keeps its block; none, where the host alone works on
// the matrix in place; or all, which share out the recursion's products one by one. All where the options ask for products of a kind.
// Status::out_of_memory where the products do not fit those that were chosen.
Choice choose(const DeviceGroup &asked, const std::string &name, const Options &options, const CountOn &count);

// By the measured rates of the devices. Zeros: unknown, as on the host without a device or in too little memory.
struct Prediction {
    double seconds = 0;
    std::vector<double> shares; // of the products' operations, for each device
    std::string kernel;         // of the products
};
// share_of_memory: of the devices' free memory, above 1 beyond the caller's limit.
Prediction predicted(const DeviceGroup &chosen, const OperationCount &count, const Options &options,
                     double share_of_memory = 1);
// The fewest bytes of the only device, nearly, with which the products have plans. Its in_use is held.
std::int64_t least_memory(const DeviceGroup &chosen, const OperationCount &by_products, const Options &options);

} // namespace hpart

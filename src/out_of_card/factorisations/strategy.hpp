// Which of several devices do an operation, and whether its memory is enough, before anything is written.
#pragma once

#include "out_of_card/devices/registry.hpp"
#include "out_of_card/factorisations/recursion_cost.hpp"
#include "out_of_card/pipeline/shares.hpp"

#include <vector>

namespace hpart
{

using Steps = std::vector<FactorisationStep>; // of an operation, one after another

RecursionRules rules_for(const DeviceGroup &devices, const Options &options);

struct Choice {
    DeviceGroup devices;
    double seconds = 0;                     // predicted; where there was a choice
    std::shared_ptr<Correction> correction; // of such predictions, kept with the first of the list; else null
};

// Chooses from a list the devices of least predicted seconds: one, which keeps its block; none, where the host alone works on
// the matrix in place; or all, which share out the recursion's products one by one. All where the options ask for products of a kind.
Choice choose(const DeviceGroup &asked, const Steps &steps, const Options &options);

// By the measured rates of the devices; 0: not known, as those of the host without a device, or in too little memory.
double predicted_seconds(const DeviceGroup &chosen, const Steps &steps, const Options &options);
// The fewest bytes of the only device, nearly, with which the products of the steps have plans. Its in_use is held.
std::int64_t least_memory(const DeviceGroup &chosen, const Steps &steps, const Options &options);

// Fails with Status::out_of_memory where a step fits a device neither left-looking nor by products.
void check_memory(const DeviceGroup &chosen, const Steps &steps, const Options &options);

} // namespace hpart

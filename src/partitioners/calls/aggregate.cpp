// The function of a node: its best time, or energy, for each workload that its processors can have together.
//
// Source: the first step of HiPOPTA, Khaleghzadeh's thesis (UCD, 2019), section 3.6.4, where the function is measured.
//
// Exact over nodes too, by time: a distribution's time is the longest of its nodes' times, none of which is less than the node's function.
// Energies are rounded once a node: equal to those over all processors if sums are exact in double, else within their roundings.
#include "partitioners/calls/aggregate.hpp"

#include "core/error.hpp"
#include "partitioners/problem/instance.hpp"
#include "partitioners/search/limits.hpp"

#include <cmath>

namespace hpart
{

namespace
{

struct Values {
    std::vector<std::int64_t> sizes;
    std::vector<double> values;

    void add(std::int64_t size, double value)
    {
        if (std::isnan(value)) return;
        sizes.push_back(size);
        values.push_back(value);
    }
};

} // namespace

Platform aggregate(const Platform &node, const PreparedPlatform &prepared_node, PartitionRequest request,
                   Control &control)
{
    const auto needs = request.objective == Objective::time ? Needs::time : Needs::time_and_energy;
    const auto &points = prepared_node.get(node, needs).instance();
    Values times, energies;
    for (const auto workload : workloads_of(points, points.processors(), request.size, control)) {
        check_time(control);
        request.size = workload;
        try {
            const auto found = partition(node, prepared_node, request, control);
            if (found.limit_reached)
                fail(Status::limit, "the limit was reached before a workload's optimum was proved");
            times.add(workload, found.seconds);
            energies.add(workload, found.joules);
        } catch (const Error &error) {
            if (error.status() != Status::infeasible) throw; // by an option, such as a deadline
        }
    }
    Platform whole(1);
    whole.set_time_function(0, times.sizes, times.values);
    whole.set_energy_function(0, energies.sizes, energies.values);
    if (node.has_base_power()) whole.set_base_power(node.base_power());
    whole.set_border_bytes(node.border_bytes());
    whole.set_kernel(node.kernel());
    return whole;
}

} // namespace hpart

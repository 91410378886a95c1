// The count of an operation, made by its own code without data: for the choice of devices, the memory that it needs, progress and
// predictions.
#pragma once

#include "out_of_card/devices/registry.hpp"
#include "out_of_card/factorisations/factorisation_step.hpp"

#include <array>
#include <map>
#include <optional>
#include <string>

namespace hpart
{

// The rules of the recursion: the blocks that it leaves to the host, and its cuts.
struct RecursionRules {
    std::int64_t host_width = 128; // blocks of so many columns and less
    bool is_on_host = false;       // the products as well, where the matrix is, and no width was asked for

    static RecursionRules of(const DeviceGroup &devices, const Options &options);

    // At about the middle, after a whole number of host blocks.
    std::int64_t half_of(std::int64_t n) const { return round_up(n / 2, host_width); }
    // Products that are done before a device has begun.
    bool is_small(std::int64_t m, std::int64_t n, std::int64_t k) const;
    // A syrk or a QR factorisation that the host does by one call: it tells no progress meanwhile, a tenth of a second or so.
    bool is_one_call(double flops) const;
};

// A block that the host factors.
struct HostPanel {
    StepKind method = StepKind::lu;
    std::int64_t rows = 0, columns = 0;
    auto operator<=>(const HostPanel &) const = default;
};

// Work done left-looking on one device.
struct LeftLookingRecord {
    LeftLookingShape shape;
    double seconds = 0; // of the host's panels; of all where they are predicted
    double flops = 0;
    std::int64_t least_bytes = 0;
    std::string kernel = {};
};

struct OperationCount {
    using Sizes = std::array<std::int64_t, 3>; // m, n, k of a product

    Scalar type = Scalar::d;
    std::map<Sizes, std::int64_t> products = {};        // that are not small: how many
    std::map<Sizes, double> on_host = {};               // what else the host does, in such products
    std::map<HostPanel, std::int64_t> panels = {};      // how many
    std::optional<LeftLookingRecord> left_looking = {}; // the widths of the last; sums of the rest
    double flops = 0;                                   // of all
    std::int64_t least_bytes = 0;                       // that the products move to and from the only device

    static double flops_of(Scalar type, const Sizes &sizes);
    void add(const LeftLookingRecord &record);
    void add(const OperationCount &other, std::int64_t times);
};

} // namespace hpart

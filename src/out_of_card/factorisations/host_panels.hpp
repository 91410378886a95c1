// Rates at which the host factors panels, and small matrices whole; and the predicted times of a left-looking method, from these and
// the rates of device and link. The widths of panels depend on them.
#pragma once

#include "out_of_card/devices/device.hpp"
#include "out_of_card/factorisations/factorisation_step.hpp"
#include "out_of_card/gemm/simulation.hpp"

#include <string>

namespace hpart
{

// Operations of the host's part of an LU or QR factorisation of rows x columns, rows >= columns; for Cholesky, of the square.
double panel_flops(StepKind method, Scalar type, std::int64_t rows, std::int64_t columns);

// Rates in flop/s; zeros where the host has no panels.
struct HostPanels {
    double narrow = 0, wide = 0; // of panels
    double whole = 0;            // of squares, with all threads and nothing else to do

    double seconds(StepKind method, Scalar type, std::int64_t rows, std::int64_t columns) const;
    double seconds_of_square(StepKind method, Scalar type, std::int64_t rows, std::int64_t columns) const;
};

// Under which name a session keeps them.
std::string name_of_host_panels(StepKind method, Scalar type);
// Measured at the first call for this device, in some milliseconds; kept with the device. The device's in_use is held.
HostPanels measured_host_panels(DeviceSession &session, StepKind method, Scalar type);

// Kernels of this device and the BLAS want the same cores: then panels that are factored meanwhile take one.
inline bool competes_with_host(const DeviceSession &session)
{
    return session.info().on_host_cores && session.info().backend != Backend::host;
}

struct LeftLookingModel {
    FactorisationStep problem;
    DeviceModel device;
    HostPanels host;
    bool competes_with_host = false; // for the machine's cores
    std::int64_t cores = 1;
};

double predicted_seconds(const LeftLookingModel &model, const LeftLookingShape &shape);

// The largest width of the last panel at which the host, which factors it with all its threads while nothing else is to be done,
// is no later than the panels of it one by one.
std::int64_t columns_left_to_host(const LeftLookingModel &model, const LeftLookingShape &shape);

} // namespace hpart

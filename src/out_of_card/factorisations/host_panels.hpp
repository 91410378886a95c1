// Rates at which the host factors panels, and small matrices whole. The widths of panels depend on them.
#pragma once

#include "out_of_card/devices/device_session.hpp"
#include "out_of_card/factorisations/factorisation_step.hpp"

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

} // namespace hpart

// Predicted times of a left-looking method by the width of its panels, from the measured rates of device, link and host.
#pragma once

#include "out_of_card/factorisations/host_panels.hpp"
#include "out_of_card/gemm/rates.hpp"

namespace hpart
{

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

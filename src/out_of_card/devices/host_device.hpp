// This machine's own cores and memory as a device: the reference of all backends. Its queues are threads, its memory is
// the heap's, and a launch does its work on the queue's thread.
#pragma once

#include "out_of_card/devices/device.hpp"

#include <memory>

namespace hpart
{

std::shared_ptr<Device> make_host_device();

} // namespace hpart

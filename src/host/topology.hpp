// hwloc's view of a machine; for builds with hwloc.
#pragma once

#include "host/cores.hpp"

#include <memory>
#include <string>
#include <type_traits>

#include <hwloc.h>

namespace hpart
{

class Topology
{
  public:
    Topology(); // this machine's, or the topology that hwloc's environment variables name
    // In hwloc's synthetic form, "package:2 l3:2 core:4 pu:1". Status::invalid_argument.
    explicit Topology(const std::string &synthetic);
    Topology(const Topology &) = delete;
    Topology &operator=(const Topology &) = delete;
    ~Topology() { hwloc_topology_destroy(topology_); }
    hwloc_topology_t get() const { return topology_; }

  private:
    void load(const char *failure);

    hwloc_topology_t topology_ = nullptr;
};

// Loaded once, never changed: hwloc's queries and bindings may then come from any thread.
const Topology &this_topology();

struct FreeBitmap {
    void operator()(hwloc_bitmap_t set) const { hwloc_bitmap_free(set); }
};
using Bitmap = std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>, FreeBitmap>;

Bitmap make_bitmap();

CoreList cores_in(hwloc_const_bitmap_t set);

} // namespace hpart

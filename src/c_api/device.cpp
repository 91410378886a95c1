#include "c_api/guard.hpp"

using namespace hpart;
using namespace hpart::c_api;
extern "C" {
int64_t hpart_device_count(void) { return 0; }
hpart_status hpart_device_describe(int64_t, char *, int64_t, int64_t *)
{
    return guarded([] { fail(Status::unsupported, "soon"); });
}
}

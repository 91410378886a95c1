#include "c_api/guard.hpp"
#include "c_api/handles.hpp"

using namespace hpart;
using namespace hpart::c_api;
extern "C" {
#define SOON                                                                                                           \
    {                                                                                                                  \
        return guarded([] { fail(Status::unsupported, "soon"); });                                                     \
    }
hpart_status hpart_team_create(hpart_team **) SOON hpart_status
    hpart_team_add(hpart_team *, const char *, hpart_kernel, void *, hpart_free, const char *) SOON hpart_status
    hpart_team_add_builtin(hpart_team *, const char *, const char *, const char *, const hpart_options *) SOON int64_t
    hpart_team_processors(const hpart_team *)
{
    return -1;
}
hpart_status hpart_team_measure(hpart_team *, const int64_t *, const hpart_options *, double *, double *,
                                hpart_report **) SOON hpart_status
    hpart_team_profile(hpart_team *, int64_t, const int64_t *, const hpart_options *,
                       hpart_platform **) SOON hpart_status
    hpart_team_execute(hpart_team *, const int64_t *, const hpart_options *, double *, hpart_report **) SOON
    void hpart_team_destroy(hpart_team *)
{
}
}

// Objects of libhpart by their inside: hpart.h makes no report and no front from given values, and reads no option.
#pragma once

#include "hpart.h"
#include "mpi/bytes.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace hpart
{
class ParalephRanks;
} // namespace hpart

namespace hpart::mpi
{

struct ReportDestroy {
    void operator()(hpart_report *report) const { hpart_report_destroy(report); }
};
using ReportHandle = std::unique_ptr<hpart_report, ReportDestroy>;

struct FrontDestroy {
    void operator()(hpart_front *front) const { hpart_front_destroy(front); }
};
using FrontHandle = std::unique_ptr<hpart_front, FrontDestroy>;

struct OptionsDestroy {
    void operator()(hpart_options *options) const { hpart_options_destroy(options); }
};
using OptionsHandle = std::unique_ptr<hpart_options, OptionsDestroy>;

// Fails unless the linked libhpart is of this build's version: the objects below are its own.
void require_same_version();

void put_report(Bytes &out, const hpart_report *report);
ReportHandle get_report(Reader &in);

// The front with x of the processors first..last - 1.
void put_front(Bytes &out, const hpart_front *front, std::int64_t first, std::int64_t last);
FrontHandle get_front(Reader &in);

// The distribution of hpart_options_set_previous; empty without one.
std::vector<std::int64_t> previous_of(const hpart_options *options);
// A copy, all defaults of NULL; the caller's progress callback too.
OptionsHandle copy_of(const hpart_options *options);

// Method paraleph of a call with these options then uses the ranks.
void set_paraleph_ranks(hpart_options *options, ParalephRanks *ranks);
void set_in_report(hpart_report *report, const char *key, std::vector<double> values);

// Options of hpart_mpi_profile that all ranks must agree on.
struct ProfileSettings {
    bool is_random = true;
    bool is_simultaneous = true;
    double total_seconds = 0;
    std::string alike; // each rank's own
};
// Fails if an option is set that needs all sizes at once.
ProfileSettings profile_settings(const hpart_options *options);
// A copy for hpart_team_profile.
OptionsHandle profile_options(const hpart_options *options);

} // namespace hpart::mpi

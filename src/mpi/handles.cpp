#include "mpi/handles.hpp"

#include "c_api/handles.hpp"
#include "mpi/communicator.hpp"

namespace hpart::mpi
{

namespace
{

// In the order of the variant's alternatives.
void put_values(Bytes &out, const Report &report);

struct PutValue {
    Bytes &out;
    template <typename Value> void operator()(const Value &value) const { put(out, value); }
    void operator()(const Report::Rows &rows) const
    {
        put(out, static_cast<std::int64_t>(rows.size()));
        for (const auto &row : rows) put_values(out, row);
    }
};

void put_values(Bytes &out, const Report &report)
{
    put(out, report.count());
    for (std::int64_t k = 0; k < report.count(); ++k) {
        const auto &key = report.key(k);
        const auto &value = report.get(key);
        put(out, key);
        put(out, static_cast<std::int64_t>(value.index()));
        std::visit(PutValue{out}, value);
    }
}

Report report_from(Reader &in)
{
    Report report;
    for (auto left = in.get<std::int64_t>(); left > 0; --left) {
        const auto key = in.get_text();
        switch (in.get<std::int64_t>()) {
        case 0: report.set(key, in.get<std::int64_t>()); break;
        case 1: report.set(key, in.get<double>()); break;
        case 2: report.set(key, in.get_text()); break;
        case 3: report.set(key, in.get_vector<double>()); break;
        default: {
            Report::Rows rows(static_cast<std::size_t>(in.get<std::int64_t>()));
            for (auto &row : rows) row = report_from(in);
            report.set(key, std::move(rows));
        }
        }
    }
    return report;
}

} // namespace

void require_same_version()
{
    std::int32_t major = 0, minor = 0, patch = 0;
    hpart_version(&major, &minor, &patch);
    if (major != HPART_VERSION_MAJOR || minor != HPART_VERSION_MINOR || patch != HPART_VERSION_PATCH)
        fail(Status::unsupported, "libhpart is version ", major, ".", minor, ".", patch, "; this libhpart_mpi needs ",
             HPART_VERSION_MAJOR, ".", HPART_VERSION_MINOR, ".", HPART_VERSION_PATCH);
}

void put_report(Bytes &out, const hpart_report *report) { put_values(out, report->value); }

ReportHandle get_report(Reader &in) { return ReportHandle(new hpart_report{report_from(in)}); }

void put_front(Bytes &out, const hpart_front *front, std::int64_t first, std::int64_t last)
{
    const auto &points = front->value.points;
    put(out, static_cast<std::int64_t>(points.size()));
    for (const auto &point : points) {
        put(out, point.seconds);
        put(out, point.joules);
        put(out, std::vector(point.x.begin() + first, point.x.begin() + last));
    }
    put_values(out, front->value.report);
}

FrontHandle get_front(Reader &in)
{
    Front front;
    for (auto left = in.get<std::int64_t>(); left > 0; --left) {
        const auto seconds = in.get<double>(), joules = in.get<double>();
        front.points.push_back({seconds, joules, in.get_vector<std::int64_t>()});
    }
    front.report = report_from(in);
    return FrontHandle(new hpart_front{std::move(front)});
}

std::vector<std::int64_t> previous_of(const hpart_options *options)
{
    return options == nullptr ? std::vector<std::int64_t>() : options->value.previous();
}

OptionsHandle copy_of(const hpart_options *options)
{
    return OptionsHandle(options == nullptr ? new hpart_options{} : new hpart_options{options->value});
}

void set_paraleph_ranks(hpart_options *options, ParalephRanks *ranks) { options->value.set_paraleph_ranks(ranks); }

void set_in_report(hpart_report *report, const char *key, std::vector<double> values)
{
    report->value.set(key, std::move(values));
}

ProfileSettings profile_settings(const hpart_options *options)
{
    const auto settings = options == nullptr ? Options() : options->value;
    for (const auto *key : {"checkpoint_file", "samples_file", "max_sizes"})
        if (settings.is_set(key))
            fail_option(key, " does not belong to hpart_mpi_profile, which measures each size by itself");
    return {settings.get_text("order") == "random", settings.get_int("simultaneous") == 1,
            settings.get_double("max_total_seconds"), settings.get_text("alike")};
}

OptionsHandle profile_options(const hpart_options *options)
{
    auto copy = copy_of(options);
    copy->value.unset("alike");
    return copy;
}

} // namespace hpart::mpi

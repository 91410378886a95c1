// Energy meters: the library's kinds, and the user's own.
#include "c_api/device.hpp"
#include "c_api/handles.hpp"
#include "core/machine.hpp"
#include "energy/sensor.hpp"
#include "host/thread_group.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

using namespace hpart;
using namespace hpart::c_api;

namespace
{

constexpr const char *waiting = "waiting for the meter";

// The last description for which a caller asked the length alone. It is in fixed memory: a caller that stops there leaks none.
constexpr std::int64_t no_line = -1;
struct KeptLine {
    std::int64_t k = no_line;
    Status status = Status::success;
    std::array<char, 4096> text{};
    std::size_t length = 0;
};

// A meter of the user's, and the pointer it owns.
class UserSource final : public Source
{
  public:
    UserSource(std::string name, hpart_meter_read function, void *user)
        : name_(std::move(name)), function_(function), user_(user)
    {
    }
    UserSource(const UserSource &) = delete;
    UserSource &operator=(const UserSource &) = delete;
    ~UserSource() override { free_quietly(free_user_, user_); }
    // Until then the caller owns the user pointer.
    void own(hpart_free free_user) { free_user_ = free_user; }

    Reading read() override
    {
        const double nothing = std::nan("");
        double value = nothing, seconds = nothing;
        const auto function = text("meter ", name_, ": its function");
        const int stop = call_(function.c_str(), [&] { return function_(user_, &value, &seconds); });
        if (stop != 0) fail(Status::callback, function, " returned ", stop);
        return {seconds, {value}};
    }

  private:
    Callback call_;
    std::string name_;
    hpart_meter_read function_;
    void *user_;
    hpart_free free_user_ = nullptr;
};

Quantity quantity_of(std::int32_t quantity)
{
    if (quantity != HPART_JOULES && quantity != HPART_WATTS)
        fail_argument("quantity is ", quantity, "; it must be HPART_JOULES or HPART_WATTS");
    return static_cast<Quantity>(quantity);
}

void require_finite(double value, double least, const char *name)
{
    if (std::isfinite(value) && value >= least) return;
    fail_argument(name, " is ", value, "; it must be finite and at least ", least);
}

} // namespace

extern "C" {

hpart_status hpart_meter_open(const char *spec, const hpart_options *options, hpart_meter **meter)
{
    return guarded([&] {
        require(spec, "spec");
        require(meter, "meter");
        const auto set = options_for(options, call_meter);
        std::optional<BasePower> base;
        if (const auto watts = set.find_double("base_power")) base = BasePower{*watts, 0};
        // The options own the callback, which is called while they live.
        const auto look = [progress = std::weak_ptr(set.progress())] {
            const auto callback = progress.lock();
            if (callback && (*callback)(-1, waiting) != 0)
                fail(Status::cancelled, "the progress callback stopped the call at: ", waiting);
        };
        auto sensor = open_sensor(spec, {set.find_double("interval"), look, set.get_int("lines")});
        wait_for_rest();
        const Calibration calibration{set.get_double("meter_scale"), set.get_double("meter_offset")};
        *meter = new hpart_meter{Meter(std::move(sensor), base, look, calibration, proc_root())};
    });
}

hpart_status hpart_meter_create(const char *name, hpart_meter_read read, int32_t quantity, double interval_seconds,
                                double wrap, void *user, hpart_free free_user, hpart_meter **meter)
{
    return guarded([&] {
        require(name, "name");
        if (read == nullptr) fail_argument("read is NULL; it must not be");
        require(meter, "meter");
        const auto kind = quantity_of(quantity);
        require_finite(interval_seconds, find_option_key("interval")->smallest, "interval_seconds");
        require_finite(wrap, 0, "wrap");
        if (kind == Quantity::watts && wrap != never_wraps)
            fail_argument("wrap is ", wrap, "; power has none: it must be 0");
        auto owner = std::make_unique<UserSource>(name, read, user);
        auto *const source = owner.get();
        Sensor sensor;
        sensor.traits = {name,
                         kind,
                         kind == Quantity::joules ? Method::counter : Method::integrated,
                         interval_seconds,
                         {{name, wrap}}};
        sensor.source = std::move(owner);
        *meter = new hpart_meter{Meter(std::move(sensor), std::nullopt, no_look, {}, proc_root())};
        source->own(free_user);
    });
}

int64_t hpart_meter_count(void)
{
    try {
        return static_cast<std::int64_t>(meter_kinds().size());
    } catch (...) {
        return 0;
    }
}

hpart_status hpart_meter_describe(int64_t k, char *buffer, int64_t capacity, int64_t *needed, hpart_status *works_here)
{
    return guarded([&] {
        const auto &kinds = meter_kinds();
        const auto count = static_cast<std::int64_t>(kinds.size());
        if (k < 0 || k >= count) fail_argument("k is ", k, "; the meters are 0 to ", count - 1);
        const auto &kind = kinds[static_cast<std::size_t>(k)];
        // Callers ask for the length and then for the text: looking takes seconds where a counter stands still.
        thread_local KeptLine kept;
        const auto known = std::exchange(kept.k, no_line) == k;
        const auto found_again = std::string_view(kept.text.data(), known ? kept.length : 0);
        const auto has_room = [&](std::string_view line) {
            return buffer != nullptr && capacity > static_cast<std::int64_t>(line.size());
        };
        auto status = kept.status;
        std::string line(found_again);
        if (!known || !has_room(line)) {
            const auto found = kind.look();
            line = text(kind.form, " ", found.text);
            status = found.status;
        }
        if (!has_room(line) && line.size() <= kept.text.size()) {
            kept.k = k;
            kept.status = status;
            kept.length = line.copy(kept.text.data(), kept.text.size());
        }
        copy_text(line, buffer, capacity, needed);
        if (works_here != nullptr) *works_here = static_cast<hpart_status>(status);
    });
}

hpart_status hpart_meter_start(hpart_meter *meter)
{
    return guarded([&] {
        require(meter, "meter");
        meter->value.start();
    });
}

hpart_status hpart_meter_stop(hpart_meter *meter, double *joules, double *seconds)
{
    return guarded([&] {
        require(meter, "meter");
        const auto measured = meter->value.stop();
        if (joules != nullptr) *joules = measured.joules;
        if (seconds != nullptr) *seconds = measured.seconds;
    });
}

hpart_status hpart_meter_base_power(hpart_meter *meter, double seconds, double *watts, double *standard_error)
{
    return guarded([&] {
        require(meter, "meter");
        wait_for_rest();
        const auto base = meter->value.measure_base_power(seconds);
        if (watts != nullptr) *watts = base.watts;
        if (standard_error != nullptr) *standard_error = base.standard_error;
    });
}

hpart_status hpart_meter_report(const hpart_meter *meter, hpart_report **report)
{
    return guarded([&] {
        require(meter, "meter");
        require(report, "report");
        *report = new hpart_report{meter->value.report()};
    });
}

void hpart_meter_close(hpart_meter *meter) { delete meter; }

} // extern "C"

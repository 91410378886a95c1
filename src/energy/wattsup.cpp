// The Watts up? PRO at a serial port: 115200 baud, 8N1. "#L,W,3,E,,1;" asks for a row every second, "#L,R,0;" for no more.

#include "core/error.hpp"
#include "core/file.hpp"
#include "energy/backends.hpp"
#include "energy/live_stream.hpp"
#include "energy/sensor.hpp"

#include <cerrno>
#include <cmath>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <termios.h>

namespace hpart
{

namespace
{

constexpr double wattsup_interval = 1;
constexpr std::string_view stop_logging = "#L,R,0;";
constexpr double watts_of_unit = 0.1;
// The meter measures up to 15 A: a row with more is garbled.
constexpr double most_watts = 5000;
constexpr std::size_t fields_before_data = 3; // "#d", "-", the number of data

std::vector<std::string_view> split(std::string_view row)
{
    std::vector<std::string_view> fields;
    for (;;) {
        const auto comma = row.find(',');
        fields.push_back(row.substr(0, comma));
        if (comma == std::string_view::npos) return fields;
        row.remove_prefix(comma + 1);
    }
}

Descriptor open_port(const std::string &path)
{
    Descriptor port(::open(path.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
    if (port.get() < 0) {
        const int error = errno;
        const auto reason = std::generic_category().message(error);
        if (error == EACCES || error == EPERM)
            fail(Status::permission, "cannot open ", in_quotes(path), ": ", reason,
                 "; let the user into the port's group, as by sudo usermod -aG dialout USER, and log in again");
        fail(Status::unsupported, "cannot open ", in_quotes(path), ": ", reason,
             "; a Watts up? PRO is usually /dev/ttyUSB0");
    }
    termios settings{};
    if (::tcgetattr(port.get(), &settings) != 0)
        fail(Status::unsupported, in_quotes(path), " is no serial port: ", std::generic_category().message(errno));
    ::cfmakeraw(&settings);
    settings.c_cflag |= static_cast<tcflag_t>(CLOCAL | CREAD);
    ::cfsetspeed(&settings, B115200);
    if (::tcsetattr(port.get(), TCSANOW, &settings) != 0)
        fail(Status::device, "cannot set up ", in_quotes(path), ": ", std::generic_category().message(errno));
    ::tcflush(port.get(), TCIOFLUSH);
    return port;
}

// Commands are shorter than any port's buffer; a meter that is gone is noticed by its silence.
void send(int port, std::string_view command)
{
    [[maybe_unused]] const auto sent = ::write(port, command.data(), command.size());
}

class Wattsup final : public Stream
{
  public:
    Wattsup(const std::string &path, double interval, const MeterSettings &settings)
        : port_(open_port(path)),
          rows_("wattsup:" + path, Descriptor(::fcntl(port_.get(), F_DUPFD_CLOEXEC, 0)), interval,
                {";", "sent", "is it a Watts up? PRO, and switched on?", wattsup_watts},
                [] { return std::string("the serial port was disconnected"); })
    {
        send(port_.get(), text("#L,W,3,E,,", static_cast<std::int64_t>(std::ceil(interval)), ";"));
        rows_.wait_for_first_row(settings.look);
    }
    Wattsup(const Wattsup &) = delete;
    Wattsup &operator=(const Wattsup &) = delete;
    ~Wattsup() override { send(port_.get(), stop_logging); }
    void begin(ReadingSink sink) override { rows_.begin(std::move(sink)); }
    void end() override { rows_.end(); }
    void check() const override { rows_.check(); }

  private:
    Descriptor port_;
    LiveStream rows_;
};

} // namespace

std::optional<double> wattsup_watts(std::string_view row)
{
    if (row.empty() || row.back() != ';') return std::nullopt;
    row.remove_suffix(1);
    const auto fields = split(row);
    if (fields.size() <= fields_before_data || fields[0] != "#d" || fields[1] != "-") return std::nullopt;
    const auto data = parse_int(fields[2]);
    if (!data || *data != static_cast<std::int64_t>(fields.size() - fields_before_data)) return std::nullopt;
    const auto units = parse_int(fields[fields_before_data]);
    if (!units || *units < 0 || static_cast<double>(*units) * watts_of_unit > most_watts) return std::nullopt;
    return static_cast<double>(*units) * watts_of_unit;
}

Sensor open_wattsup(const std::string &argument, const MeterSettings &settings)
{
    Sensor sensor;
    sensor.traits = {"wattsup:" + argument,
                     Quantity::watts,
                     Method::integrated,
                     settings.interval.value_or(wattsup_interval),
                     {{"wall", never_wraps}}};
    sensor.stream = std::make_unique<Wattsup>(argument, sensor.traits.interval, settings);
    return sensor;
}

MeterAvailability look_for_wattsup()
{
    // A query may disturb the device at a port: the ports are listed, not tried.
    std::string ports;
    for (const auto &name : names_in("/dev"))
        if (name.rfind("ttyUSB", 0) == 0) ports += text(ports.empty() ? "" : ", ", "wattsup:/dev/", name);
    if (ports.empty())
        return {Status::unsupported,
                "there is no serial port /dev/ttyUSB*: connect the Watts up? PRO and load the module ftdi_sio"};
    return {Status::success, text("ports that may have a Watts up? PRO, not tried: ", ports)};
}

} // namespace hpart

#include "measurement/profile.hpp"

#include "core/error.hpp"
#include "models/platform_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <random>
#include <set>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

namespace hpart
{

namespace
{

constexpr std::string_view way_key = " measured = ";
constexpr std::string_view imprecise_key = " precision not reached: ";

std::string_view way_of(bool simultaneous) { return simultaneous ? "all processors at once" : "one after another"; }

// Told before hours are spent on what cannot be kept.
void require_writable_folder(const std::string &file)
{
    const auto slash = file.rfind('/');
    const auto folder = slash == std::string::npos ? "." : file.substr(0, slash + 1);
    if (::access(folder.c_str(), W_OK) == 0) return;
    const int error = errno;
    fail(Status::io, "the file ", in_quotes(file),
         " cannot be written in its folder: ", std::generic_category().message(error));
}

// One size by all processors at once, or by one alone.
struct Point {
    std::int64_t size;
    std::vector<std::size_t> processors;
};

class Profiler
{
  public:
    Profiler(const Team &team, const ProfileRequest &request, Control &control)
        : team_(team), request_(request), control_(control), platform_(static_cast<std::int64_t>(team.count()))
    {
    }
    Platform run();

  private:
    void start_platform();
    void resume();
    std::vector<Point> points_to_do() const;
    void measure_point(const Point &point);
    void keep(const Point &point, const Measurement &measurement);
    void tell(const Point &point);

    const Team &team_;
    const ProfileRequest &request_;
    Control &control_;
    Platform platform_;
    std::size_t done_ = 0, total_ = 0; // points of this call
    Clock::time_point start_ = Clock::now();
};

Platform Profiler::run()
{
    start_platform();
    if (!request_.file.empty()) {
        struct stat info {
        };
        if (::stat(request_.file.c_str(), &info) == 0) resume();
        require_writable_folder(request_.file);
    }
    auto points = points_to_do();
    total_ = points.size();
    start_ = Clock::now();
    for (const auto &point : points) {
        measure_point(point);
        ++done_;
        if (!request_.file.empty()) write_platform(platform_, request_.file);
    }
    return std::move(platform_);
}

void Profiler::start_platform()
{
    std::vector<std::string> names;
    for (std::size_t i = 0; i < team_.count(); ++i) names.push_back(team_.member(i).name);
    platform_.set_names(names);
    platform_.set_kernel(team_.shared_kernel());
    platform_.comments.push_back(text(way_key, way_of(request_.simultaneous)));
}

void Profiler::resume()
{
    auto found = read_platform(request_.file);
    const auto refuse = [&](const auto &...reason) {
        fail_argument("the file ", in_quotes(request_.file), " cannot be continued: ", reason...,
                      "; give another file, or remove this one");
    };
    if (found.kernel() != platform_.kernel())
        refuse("it was measured with the kernel ", in_quotes(found.kernel()), ", not ", in_quotes(platform_.kernel()));
    if (found.count() != platform_.count())
        refuse("it has ", found.count(), " processors, the team ", platform_.count());
    for (std::int64_t i = 0; i < found.count(); ++i)
        if (found.processor(i).name != platform_.processor(i).name)
            refuse("its processor ", i, " is ", in_quotes(found.processor(i).name), ", the team's ",
                   in_quotes(platform_.processor(i).name));
    const auto way = std::find_if(found.comments.begin(), found.comments.end(),
                                  [](const auto &comment) { return comment.starts_with(way_key); });
    if (way == found.comments.end())
        found.comments.push_back(platform_.comments.front());
    else if (*way != platform_.comments.front())
        refuse("it was measured ", way->substr(way_key.size()), ", not ", way_of(request_.simultaneous));
    platform_ = std::move(found);
}

bool has_time(const Points &points, std::int64_t size)
{
    const auto k = points.find(size);
    return k < points.count() && !std::isnan(points.seconds[k]);
}

std::vector<Point> Profiler::points_to_do() const
{
    std::vector<Point> points;
    for (const auto size : request_.sizes) {
        std::vector<std::size_t> missing, all;
        for (std::size_t i = 0; i < team_.count(); ++i) {
            all.push_back(i);
            if (!has_time(platform_.points(static_cast<std::int64_t>(i)), size)) missing.push_back(i);
        }
        if (request_.simultaneous && !missing.empty()) points.push_back({size, all});
        if (!request_.simultaneous)
            for (const auto i : missing) points.push_back({size, {i}});
    }
    if (!request_.random_order) return points;
    // Random so that drift is not mistaken for shape, and the same each time.
    std::mt19937_64 generator;
    for (std::size_t k = points.size(); k > 1; --k) std::swap(points[k - 1], points[generator() % k]);
    return points;
}

void Profiler::measure_point(const Point &point)
{
    std::vector<Slice> slices(team_.count());
    for (const auto i : point.processors) slices[i] = {0, point.size};
    keep(point, measure(team_, std::move(slices), request_.settings, [&] { tell(point); }));
}

void Profiler::keep(const Point &point, const Measurement &measurement)
{
    for (std::size_t a = 0; a < point.processors.size(); ++a) {
        const auto i = static_cast<std::int64_t>(point.processors[a]);
        const auto &estimate = measurement.estimates[a];
        const auto &points = platform_.points(i);
        std::vector<std::int64_t> sizes;
        std::vector<double> seconds;
        for (std::size_t k = 0; k < points.count(); ++k) {
            if (std::isnan(points.seconds[k]) || points.sizes[k] == point.size) continue;
            sizes.push_back(points.sizes[k]);
            seconds.push_back(points.seconds[k]);
        }
        sizes.push_back(point.size);
        seconds.push_back(estimate.mean);
        platform_.set_time_function(i, sizes, seconds);
        const double relative = (estimate.high - estimate.mean) / estimate.mean;
        if (!measurement.precise && !(relative <= request_.settings.rule.precision))
            platform_.comments.push_back(text(imprecise_key, team_.member(point.processors[a]).name, " size ",
                                              point.size, " is known to ", std::round(relative * 1e4) / 1e2,
                                              " % after ", measurement.repetitions, " repetitions (",
                                              stop_reason_name(measurement.reason), ")"));
    }
}

void Profiler::tell(const Point &point)
{
    auto what = text("size ", point.size, ", point ", done_ + 1, " of ", total_);
    if (!request_.simultaneous) what += text(", ", team_.member(point.processors.front()).name);
    if (done_ > 0) {
        const auto left = static_cast<double>(total_ - done_) * seconds_since(start_) / static_cast<double>(done_);
        what += text(", about ", static_cast<std::int64_t>(std::ceil(left)), " s left");
    }
    control_.tell(static_cast<double>(done_) / static_cast<double>(total_), what.c_str());
}

} // namespace

ProfileRequest ProfileRequest::from(std::span<const std::int64_t> sizes, const Options &options)
{
    std::set<std::int64_t> seen;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        if (sizes[k] <= 0) fail_argument("sizes[", k, "] is ", sizes[k], "; sizes must be positive");
        if (!seen.insert(sizes[k]).second)
            fail_argument("sizes[", k, "] is ", sizes[k], ", which stands in sizes already; they must be distinct");
    }
    ProfileRequest request;
    request.sizes.assign(sizes.begin(), sizes.end());
    request.settings = {StopRule::from(options), options.get_int("warmup")};
    request.simultaneous = options.get_int("simultaneous") == 1;
    request.random_order = options.get_text("order") == "random";
    request.file = options.get_text("file");
    return request;
}

Platform profile(const Team &team, const ProfileRequest &request, Control &control)
{
    return Profiler(team, request, control).run();
}

} // namespace hpart

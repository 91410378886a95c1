// Products, transforms and factorisations beyond a GPU's memory: right, and how fast, beside cuBLASXt. bench/gpu/run builds
// and starts this.
//
// --data=FILE           where each measurement goes, a line of key=value fields separated by tabs; bench-gpu.txt when not given.
//                       FILE.rates has what hpart itself measures of the devices
// --seconds=S           the program ends then, with what it has; 540
// --host-memory=BYTES   that arrays may take; a third of what is free, at most 24 GiB
// --devices=A,B         specifications; all GPUs when not given
// --sections=A,B        only these, of link, plans, cusolver, registration, far, products, transforms, factorisations, types,
//                       plain, packing, sizes, checks and sessions, which is also their order
// --check               ends at once: whether this program starts on this machine
// --libraries=FILE      a library in place of CUDA's four, on small problems: to try this program where no GPU is
#include "out_of_card/devices/cuda_device.hpp"
#include "out_of_card/devices/opencl_list.hpp"
#include "sections.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace
{

using namespace gpu_bench;
using namespace hpart;

constexpr int exit_no_gpu = 77;

struct Arguments {
    std::string data = "bench-gpu.txt", devices, sections, libraries;
    double seconds = 540;
    std::int64_t host_bytes = 0;
};

Arguments parse(int count, char **words)
{
    Arguments arguments;
    for (int k = 1; k < count; ++k) {
        const std::string word = words[k];
        const auto equals = word.find('=');
        const auto key = word.substr(0, equals), value = equals == std::string::npos ? "" : word.substr(equals + 1);
        if (key == "--data")
            arguments.data = value;
        else if (key == "--devices")
            arguments.devices = value;
        else if (key == "--libraries")
            arguments.libraries = value;
        else if (key == "--sections")
            arguments.sections = value;
        else if (key == "--seconds")
            arguments.seconds = parse_double(value).value_or(arguments.seconds);
        else if (key == "--host-memory")
            arguments.host_bytes = parse_int(value).value_or(0);
        else
            fail_argument("unknown argument ", in_quotes(word),
                          "; there are --data=, --seconds=, --host-memory=, --devices=, --sections=, --libraries=");
    }
    return arguments;
}

std::int64_t free_host_bytes()
{
    std::ifstream file("/proc/meminfo");
    std::string key, unit;
    std::int64_t kilobytes = 0;
    while (file >> key >> kilobytes >> unit)
        if (key == "MemAvailable:") return kilobytes * 1024;
    return std::int64_t{4} << 30;
}

std::int64_t usual_host_bytes() { return std::min(free_host_bytes() / 3, std::int64_t{24} << 30); }

// Why there is none, for those who expected one.
std::string why_no_cuda()
{
    try {
        const CudaDriver driver;
        return "the CUDA driver has no device";
    } catch (const Error &error) {
        return error.what();
    }
}

std::vector<std::string> words_of(const std::string &list)
{
    std::vector<std::string> words;
    std::istringstream stream(list);
    for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
    return words;
}

std::vector<Subject> subjects_of(const Arguments &arguments, Results &results)
{
    std::vector<std::string> specs;
    const CudaLibraries libraries{arguments.libraries, arguments.libraries, arguments.libraries, arguments.libraries};
    for (const auto &device : list_cuda_devices(libraries)) {
        specs.push_back(device.spec);
        results.say(text(device.spec, " ", device.name, ", ", device.memory_bytes, " bytes, ", device.driver));
    }
    for (const auto &device : list_opencl_devices()) {
        results.say(describe(device));
        if (device.type == "GPU") specs.push_back(device.spec);
    }
    results.say("OpenCL: " + describe_opencl_platforms());
    if (!arguments.devices.empty()) specs = words_of(arguments.devices);
    std::vector<Subject> subjects;
    for (const auto &spec : specs) {
        Subject subject;
        subject.spec = spec;
        subject.libraries = libraries;
        subject.is_small = !arguments.libraries.empty();
        constexpr std::int64_t least_host_bytes = std::int64_t{16} << 20;
        subject.host_bytes = arguments.host_bytes > 0 ? arguments.host_bytes : usual_host_bytes();
        subject.host_bytes = subject.is_small ? least_host_bytes : std::max(subject.host_bytes, least_host_bytes);
        subjects.push_back(std::move(subject));
    }
    return subjects;
}

// In the order of their worth: when the time is up, the rest is left out.
void measure(Subject &subject, const std::vector<std::string> &sections, Results &results)
{
    subject.open();
    const auto &info = subject.device->info();
    results.say(text(info.spec, " opened: ", info.name, ", ", info.memory_bytes, " bytes of memory for us, ",
                     info.compute_units, " units"));
    const auto is_wanted = [&](const char *name) {
        return sections.empty() || std::find(sections.begin(), sections.end(), name) != sections.end();
    };
    const auto part = [&](const char *name, const auto &job) {
        if (is_wanted(name)) guarded(results, subject.spec + " " + name, job);
    };
    Link link{1, 1, 1};
    part("link", [&] { link = measure_link(subject, results); });
    part("plans", [&] { measure_fft_plans(subject, results); });
    part("cusolver", [&] { measure_cusolver(subject, results); });
    part("registration", [&] { measure_registration(subject, results); });
    const auto with_arrays = [&](bool is_pinned, const auto &job) {
        const Place place(*subject.device, subject.host_bytes, is_pinned);
        results.say(text(subject.spec, ": ", place.bytes, " bytes of ", place.name, " memory for arrays"));
        job(place);
    };
    constexpr const char *with_pinned_arrays[] = {"far", "products", "transforms", "factorisations", "types"};
    const auto time_pinned = [&](const Place &place) {
        part("far", [&] { measure_far_link(subject, place, results); });
        part("products", [&] { time_products(subject, link, place, results); });
        part("transforms", [&] { time_transforms(subject, link, place, results); });
        part("factorisations", [&] { time_factorisations(subject, place, results); });
        part("types", [&] { time_other_types(subject, link, place, results); });
    };
    if (std::any_of(std::begin(with_pinned_arrays), std::end(with_pinned_arrays), is_wanted))
        with_arrays(true, time_pinned);
    part("plain", [&] {
        with_arrays(false, [&](const Place &place) {
            time_products(subject, link, place, results);
            time_transforms(subject, link, place, results);
        });
    });
    part("packing", [&] { measure_packing(subject, results); });
    part("sizes", [&] { with_arrays(true, [&](const Place &place) { time_sizes(subject, link, place, results); }); });
    part("checks", [&] { check_products(subject, results); });
    part("checks", [&] { check_transforms(subject, results); });
    subject.device.reset();
    part("sessions", [&] { check_sessions(subject, results); });
}

int run(const Arguments &arguments)
{
    Results results(arguments.data, arguments.seconds);
    auto subjects = subjects_of(arguments, results);
    if (subjects.empty()) {
        results.say("bench/gpu: no GPU on this machine: " + why_no_cuda());
        return exit_no_gpu;
    }
    for (auto &subject : subjects) {
        constexpr double first_share = 0.65;
        results.begin_share(&subject == &subjects.back() ? 1 : first_share);
        guarded(results, subject.spec, [&] { measure(subject, words_of(arguments.sections), results); });
    }
    results.summarise();
    return results.failures() == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace

int main(int count, char **words)
{
    try {
        if (count == 2 && std::strcmp(words[1], "--check") == 0) return EXIT_SUCCESS;
        return run(parse(count, words));
    } catch (const std::exception &error) {
        std::fprintf(stderr, "bench/gpu: %s\n", error.what());
        return EXIT_FAILURE;
    }
}

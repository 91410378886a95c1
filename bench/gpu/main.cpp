// Products, transforms and factorisations beyond a GPU's memory: right, and how fast, beside cuBLASXt. bench/gpu/run builds
// and starts this.
//
// --data=FILE           where each measurement goes, a line of key=value fields separated by tabs; bench-gpu.txt when not given
// --seconds=S           to be over by then; 540
// --host-memory=BYTES   that arrays may take; a third of what is free, at most 24 GiB
// --devices=A,B         specifications; all GPUs when not given
// --libraries=FILE      a library in place of CUDA's three, on small problems: to try this program where no GPU is
#include "out_of_card/devices/cuda_device.hpp"
#include "out_of_card/devices/opencl_list.hpp"
#include "sections.hpp"

#include <cstdlib>
#include <cstring>
#include <fstream>

namespace
{

using namespace gpu_bench;
using namespace hpart;

constexpr int exit_no_gpu = 77;

struct Arguments {
    std::string data = "bench-gpu.txt", devices, libraries;
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
        else if (key == "--seconds")
            arguments.seconds = parse_double(value).value_or(arguments.seconds);
        else if (key == "--host-memory")
            arguments.host_bytes = parse_int(value).value_or(0);
        else
            fail_argument("unknown argument ", in_quotes(word),
                          "; there are --data=, --seconds=, --host-memory=, --devices=, --libraries=");
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

std::vector<Subject> subjects_of(const Arguments &arguments, Results &results)
{
    std::vector<std::string> specs;
    const CudaLibraries libraries{arguments.libraries, arguments.libraries, arguments.libraries};
    for (const auto &device : list_cuda_devices(libraries)) {
        specs.push_back(device.spec);
        results.say(text(device.spec, " ", device.name, ", ", device.memory_bytes, " bytes, ", device.driver));
    }
    for (const auto &device : list_opencl_devices()) {
        results.say(describe(device));
        if (device.type == "GPU") specs.push_back(device.spec);
    }
    results.say("OpenCL: " + describe_opencl_platforms());
    if (!arguments.devices.empty()) {
        specs.clear();
        for (std::size_t first = 0; first <= arguments.devices.size();) {
            const auto end = std::min(arguments.devices.find(',', first), arguments.devices.size());
            specs.push_back(arguments.devices.substr(first, end - first));
            first = end + 1;
        }
    }
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

void open(Subject &subject)
{
    constexpr std::string_view cuda = "cuda:";
    if (subject.is_small && subject.spec.substr(0, cuda.size()) == cuda)
        subject.device =
            make_cuda_device(std::strtoll(subject.spec.c_str() + cuda.size(), nullptr, 10), subject.libraries);
    else {
        const auto card = open_cards(subject.spec, Options()).cards.front();
        subject.device = std::shared_ptr<Device>(card, &card->device());
    }
}

void measure(Subject &subject, Results &results)
{
    open(subject);
    const auto &info = subject.device->info();
    results.say(text(info.spec, " opened: ", info.name, ", ", info.memory_bytes, " bytes of memory for us, ",
                     info.compute_units, " units"));
    Link link{1, 1, 1};
    guarded(results, "link", [&] { link = measure_link(subject, results); });
    guarded(results, "checks of products", [&] { check_products(subject, results); });
    guarded(results, "checks of transforms", [&] { check_transforms(subject, results); });
    guarded(results, "products", [&] { time_products(subject, link, results); });
    guarded(results, "transforms", [&] { time_transforms(subject, link, results); });
    guarded(results, "factorisations", [&] { time_factorisations(subject, results); });
    subject.device.reset();
}

int run(const Arguments &arguments)
{
    Results results(arguments.data, arguments.seconds);
    auto subjects = subjects_of(arguments, results);
    if (subjects.empty()) {
        results.say("bench/gpu: no GPU on this machine: " + why_no_cuda());
        return exit_no_gpu;
    }
    for (auto &subject : subjects) guarded(results, subject.spec, [&] { measure(subject, results); });
    results.repeat_all();
    std::printf("\n%d failures in %.0f s; the data are in %s\n", results.failures(), results.seconds(),
                arguments.data.c_str());
    return results.failures() == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace

int main(int count, char **words)
{
    try {
        return run(parse(count, words));
    } catch (const std::exception &error) {
        std::fprintf(stderr, "bench/gpu: %s\n", error.what());
        return EXIT_FAILURE;
    }
}

#include "out_of_card/in_card/gemm_opencl.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/numbers.hpp"
#include "out_of_card/devices/opencl_handles.hpp"
#include "out_of_card/in_card/gemm.hpp"
#include "out_of_card/in_card/gemm_blocked.cl.hpp"
#include "out_of_card/in_card/gemm_rates.hpp"
#include "out_of_card/in_card/gemm_tiled.cl.hpp"
#include "out_of_card/in_card/spans.hpp"

#include <algorithm>
#include <array>

namespace hpart
{

OpenClDefinitions gemm_definitions(Scalar type, bool transpose_a, bool transpose_b)
{
    const auto flag = [](bool value) { return value ? std::int64_t{1} : std::int64_t{0}; };
    OpenClDefinitions definitions;
    definitions.set("DOUBLE", flag(is_double(type)));
    definitions.set("COMPLEX", flag(is_complex(type)));
    definitions.set("TRANSPOSE_A", flag(transpose_a));
    definitions.set("TRANSPOSE_B", flag(transpose_b));
    return definitions;
}

void launch_first(DeviceSession &session, const Launch &launch)
{
    auto &device = session.device();
    const auto queue = device.make_queue();
    const auto event = device.launch(*queue, launch, {});
    device.flush(*queue);
    if (event->wait() != EventState::done)
        fail(Status::device, "the first launch of a kernel failed with ", event->failure());
}

std::vector<GemmKind> opencl_gemm_kinds(DeviceSession &session)
{
    auto *const device = opencl_native(session.device()).device;
    const bool is_processor = (cl_value<cl_device_type>(device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0;
    std::vector<GemmKind> kinds;
    if (is_processor) kinds.push_back({"blocked", make_blocked_gemm});
#ifdef HPART_HAVE_CLBLAST
    // It is tuned for devices: on processors it reaches an eighth of what vectors can do, after seconds of compiling.
    kinds.push_back({"clblast", make_clblast_gemm});
#endif
    kinds.push_back({"tiled", make_tiled_gemm});
    return kinds;
}

namespace
{

// Sizes that suit the registers and caches.
struct Blocking {
    std::int64_t width = 0;   // lanes of a vector
    std::int64_t rows = 0;    // of a tile, which is summed in registers
    std::int64_t vectors = 0; // of a tile's columns
    std::int64_t depth = 0;
    std::int64_t block_rows = 0;
    std::int64_t block_columns = 0;

    std::int64_t columns() const { return vectors * width; }
    BlockLimits limits() const { return {rows, columns(), block_rows, block_columns}; }
};

std::int64_t width_of_vectors(cl_device_id device, Scalar type)
{
    const auto what = is_double(type) ? CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE : CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT;
    const std::int64_t width = cl_value<cl_uint>(device, what);
    constexpr std::int64_t bytes_of_usual_vectors = 16, widest = 16;
    // A driver that makes vectors out of work-items itself tells 1.
    return width < 2 ? bytes_of_usual_vectors / real_bytes_of(type) : std::min(width, widest);
}

Blocking blocking_of(cl_device_id device, Scalar type)
{
    const auto element = bytes_of(type), parts = parts_of(type);
    Blocking blocking;
    blocking.width = width_of_vectors(device, type);
    // Sums, a row of B and an element of A: of 32 registers where vectors have 64 bytes, else of 16.
    const bool has_many_registers = blocking.width * real_bytes_of(type) == 64;
    blocking.vectors = 3;
    blocking.rows = (has_many_registers ? 8 : 4) / parts;

    // A sliver of B should stay in the first-level cache, but C be read and written seldom: from 96 to 384 the rate changes by a
    // few percent, with floats best above 300.
    blocking.depth = type == Scalar::d ? 128 : type == Scalar::s ? 320 : 192;
    const auto local = static_cast<std::int64_t>(cl_value<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE));
    while (blocking.depth > 1 && blocking.depth * (blocking.columns() + blocking.rows) * element > local / 2)
        blocking.depth /= 2;

    // Packed A should stay in the second-level cache.
    constexpr std::int64_t most_bytes_of_a = 512 << 10, most_rows = 256, most_columns = 1024, kept_for_driver = 1024;
    const auto for_a =
        std::min(most_bytes_of_a, local - kept_for_driver - blocking.depth * blocking.columns() * element);
    blocking.block_rows =
        std::clamp(round_down(for_a / (blocking.depth * element), blocking.rows), blocking.rows, most_rows);
    blocking.block_columns = round_down(most_columns, blocking.columns());
    return blocking;
}

class BlockedGemm final : public InCardGemm
{
  public:
    BlockedGemm(DeviceSession &session, Scalar type)
        : session_(session), native_(opencl_native(session.device())), type_(type),
          units_(session.info().compute_units), blocking_(blocking_of(native_.device, type))
    {
    }

    std::string_view name() const override { return "blocked"; }
    Scalar type() const override { return type_; }
    std::int64_t row_multiple() const override { return blocking_.rows; }
    std::int64_t column_multiple() const override { return blocking_.columns(); }
    std::int64_t scratch_bytes(std::int64_t, std::int64_t, std::int64_t) const override { return 0; }

    bool passes_over_parts() const override { return true; }

    Launch product(const DeviceGemm &what) override
    {
        constexpr std::array<std::size_t, 2> items = {1, 1};
        const auto compile = [this](bool transpose_a, bool transpose_b) {
            auto definitions = gemm_definitions(type_, transpose_a, transpose_b);
            definitions.set("WIDTH", blocking_.width).set("ROWS", blocking_.rows).set("VECTORS", blocking_.vectors);
            definitions.set("DEPTH", blocking_.depth).set("BLOCK_ROWS", blocking_.block_rows);
            return std::make_shared<OpenClKernel>(native_, gemm_blocked_source, definitions, "gemm");
        };
        auto kernel = variants_.get<cl_long, cl_long, cl_long>(session_, type_, what, items, compile);
        const auto grid = block_grid(blocking_.limits(), what.m, what.n, units_);
        const OpenClRange range{
            {static_cast<std::size_t>(grid.column_parts), static_cast<std::size_t>(grid.row_parts), 1}, items};
        const auto part_depth = ceil_div(what.k, ceil_div(what.k, blocking_.depth));
        return gemm_launch(std::move(kernel), range, type_, what, cl_long{grid.rows}, cl_long{grid.columns},
                           cl_long{part_depth});
    }

  private:
    DeviceSession &session_; // that keeps it
    OpenClNative native_;
    Scalar type_;
    std::int64_t units_;
    Blocking blocking_;
    GemmVariants variants_;
};

} // namespace

std::shared_ptr<InCardGemm> make_blocked_gemm(DeviceSession &session, Scalar type)
{
    return std::make_shared<BlockedGemm>(session, type);
}

namespace
{

struct Tiling {
    std::int64_t group_rows, group_columns; // items of a group
    std::int64_t item_rows, item_columns;   // elements of an item
    std::int64_t depth;

    std::int64_t rows() const { return group_rows * item_rows; }
    std::int64_t columns() const { return group_columns * item_columns; }
    std::int64_t local_bytes(Scalar type) const { return depth * (rows() + columns() + 2) * bytes_of(type); }
};

// Few, unlike, best guess first: groups of 64 to 256 items, 4 to 64 sums an item. The last runs on every device of OpenCL.
constexpr Tiling tilings[] = {{16, 16, 4, 4, 16}, {8, 8, 4, 4, 16}, {16, 16, 8, 8, 8},
                              {8, 16, 8, 4, 8},   {8, 8, 8, 8, 8},  {1, 1, 4, 4, 8}};

bool can_run(cl_device_id device, Scalar type, const Tiling &tiling)
{
    const auto local = static_cast<std::int64_t>(cl_value<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE));
    const auto items = static_cast<std::int64_t>(cl_value<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE));
    const auto most = cl_value<std::array<std::size_t, 3>>(device, CL_DEVICE_MAX_WORK_ITEM_SIZES);
    return tiling.local_bytes(type) <= local && tiling.group_rows * tiling.group_columns <= items &&
           tiling.group_columns <= static_cast<std::int64_t>(most[0]) &&
           tiling.group_rows <= static_cast<std::int64_t>(most[1]);
}

class TiledGemm final : public InCardGemm
{
  public:
    TiledGemm(DeviceSession &session, Scalar type, const Tiling &tiling)
        : session_(session), native_(opencl_native(session.device())), type_(type), tiling_(tiling)
    {
    }

    std::string_view name() const override { return "tiled"; }
    Scalar type() const override { return type_; }
    std::int64_t row_multiple() const override { return tiling_.rows(); }
    std::int64_t column_multiple() const override { return tiling_.columns(); }
    std::int64_t scratch_bytes(std::int64_t, std::int64_t, std::int64_t) const override { return 0; }

    bool passes_over_parts() const override { return true; }

    Launch product(const DeviceGemm &what) override
    {
        const auto count = [](std::int64_t value) { return static_cast<std::size_t>(value); };
        const std::array items = {count(tiling_.group_columns), count(tiling_.group_rows)};
        const auto compile = [this](bool transpose_a, bool transpose_b) {
            auto definitions = gemm_definitions(type_, transpose_a, transpose_b);
            definitions.set("GROUP_ROWS", tiling_.group_rows).set("GROUP_COLUMNS", tiling_.group_columns);
            definitions.set("ITEM_ROWS", tiling_.item_rows).set("ITEM_COLUMNS", tiling_.item_columns);
            definitions.set("DEPTH", tiling_.depth);
            return std::make_shared<OpenClKernel>(native_, gemm_tiled_source, definitions, "gemm");
        };
        auto kernel = variants_.get(session_, type_, what, items, compile);
        const auto range = tall_range(ceil_div(what.n, tiling_.columns()), ceil_div(what.m, tiling_.rows()), items);
        return gemm_launch(std::move(kernel), range, type_, what);
    }

  private:
    DeviceSession &session_; // that keeps it
    OpenClNative native_;
    Scalar type_;
    Tiling tiling_;
    GemmVariants variants_;
};

// True if the device compiles it and runs a tile: it may need too many registers, say.
bool runs(DeviceSession &session, TiledGemm &gemm, const Tiling &tiling, bool is_last)
{
    try {
        GemmTrial trial(session, gemm, {tiling.rows(), tiling.columns(), tiling.depth});
        trial.seconds(trial.largest(), 1, 0);
        return true;
    } catch (const Error &error) {
        if (error.status() == Status::out_of_memory) return true; // no room to try: whoever asks has none either
        if (is_last) throw;
        return false;
    }
}

} // namespace

std::shared_ptr<InCardGemm> make_tiled_gemm(DeviceSession &session, Scalar type, std::size_t first)
{
    auto *const device = opencl_native(session.device()).device;
    for (const auto *tiling = std::begin(tilings) + first; tiling < std::end(tilings); ++tiling) {
        if (!can_run(device, type, *tiling)) continue;
        auto gemm = std::make_shared<TiledGemm>(session, type, *tiling);
        if (runs(session, *gemm, *tiling, tiling + 1 == std::end(tilings))) return gemm;
    }
    fail(Status::unsupported, session.info().spec, " can run none of the library's kernels for products");
}

std::shared_ptr<InCardGemm> make_tiled_gemm(DeviceSession &session, Scalar type)
{
    return make_tiled_gemm(session, type, 0);
}

// Products by the caller's own kernel: OpenCL's source, or a binary that needs no compiler here (FPGAs).

namespace
{

// "// hpart gemm group=8x8 tile=32x64", of which "//" may be left out: rows x columns of the work-items of a group and of the
// elements of C that it makes.
struct Header {
    std::array<std::int64_t, 2> group{}, tile{};
};

Header parse_header(std::string_view line, const std::string &file)
{
    const auto sizes_after = [&](std::string_view key) -> std::array<std::int64_t, 2> {
        const auto at = line.find(key);
        if (at == std::string_view::npos) return {};
        const auto rest = line.substr(at + key.size());
        const auto sizes = parse_sizes(rest.substr(0, rest.find_first_of(" \t\r")));
        if (!sizes || sizes->size() != 2) return {};
        return {(*sizes)[0], (*sizes)[1]};
    };
    Header header;
    if (line.find("hpart gemm ") != std::string_view::npos) header = {sizes_after(" group="), sizes_after(" tile=")};
    if (header.group[0] == 0 || header.tile[0] == 0)
        fail(Status::format, file, ":1: the line is ", in_quotes(line.substr(0, 80)),
             "; a file of a kernel must begin with // hpart gemm group=ROWSxCOLUMNS tile=ROWSxCOLUMNS, as group=8x8 "
             "tile=32x32");
    return header;
}

constexpr const char *gemm_functions[] = {"sgemm", "dgemm", "cgemm", "zgemm"};
constexpr const char *number_types[] = {"float", "double", "float2", "double2"};
// As they are declared, with a type's number in place of %.
constexpr std::string_view gemm_arguments[] = {"int transpose_a",
                                               "int transpose_b",
                                               "long m",
                                               "long n",
                                               "long k",
                                               "% alpha",
                                               "__global const % *a",
                                               "long a_offset",
                                               "long lda",
                                               "__global const % *b",
                                               "long b_offset",
                                               "long ldb",
                                               "% beta",
                                               "__global % *c",
                                               "long c_offset",
                                               "long ldc"};

std::string declared(std::string_view argument, Scalar type)
{
    std::string words(argument);
    if (const auto at = words.find('%'); at != std::string::npos)
        words.replace(at, 1, number_types[static_cast<std::size_t>(type)]);
    return words;
}

[[noreturn]] void refuse_arguments(const std::string &file, Scalar type, const std::string &reason)
{
    const auto *const function = gemm_functions[static_cast<std::size_t>(type)];
    std::string right;
    for (const auto &argument : gemm_arguments) right += text(right.empty() ? "" : ", ", declared(argument, type));
    fail_argument(file, ": ", function, " ", reason, "; it must be __kernel void ", function, "(", right, ")");
}

// Drivers know no more of an argument than its size.
void check_arguments(cl_kernel kernel, const std::string &file, Scalar type)
{
    cl_uint count = 0;
    check_cl(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr), "clGetKernelInfo");
    if (count != std::size(gemm_arguments))
        refuse_arguments(file, type, text("has ", count, " arguments, not ", std::size(gemm_arguments)));
    constexpr std::byte nothing[sizeof(cl_double2)] = {};
    for (cl_uint k = 0; k < count; ++k) {
        const auto what = gemm_arguments[k];
        const auto size = what[0] == 'i'   ? sizeof(cl_int)
                          : what[0] == 'l' ? sizeof(cl_long)
                          : what[0] == '%' ? static_cast<std::size_t>(bytes_of(type))
                                           : sizeof(cl_mem);
        if (const auto status = clSetKernelArg(kernel, k, size, nothing); status != CL_SUCCESS)
            refuse_arguments(
                file, type,
                text("has another argument ", k + 1, " than ", declared(what, type), ": ", cl_error_name(status)));
    }
}

void check_group(DeviceSession &session, cl_kernel kernel, const std::string &file, const Header &header)
{
    const auto of_kernel = [&](cl_kernel_work_group_info what, auto value) {
        check_cl(clGetKernelWorkGroupInfo(kernel, opencl_native(session.device()).device, what, sizeof value, &value,
                                          nullptr),
                 "clGetKernelWorkGroupInfo");
        return value;
    };
    const auto [rows, columns] = header.group;
    const auto most = static_cast<std::int64_t>(of_kernel(CL_KERNEL_WORK_GROUP_SIZE, std::size_t{0}));
    const auto here = text(file, ":1: group=", rows, "x", columns);
    if (rows > most / columns)
        fail_argument(here, ", but groups of this kernel have at most ", most, " work-items on ", session.info().spec);
    const auto own = of_kernel(CL_KERNEL_COMPILE_WORK_GROUP_SIZE, std::array<std::size_t, 3>{});
    if (own[0] != 0 && (own[0] != static_cast<std::size_t>(columns) || own[1] != static_cast<std::size_t>(rows)))
        fail_argument(here, ", but the kernel's reqd_work_group_size says group=", own[1], "x", own[0]);
}

ClProgram program_of_binary(const OpenClNative &native, const std::string &name, std::string_view content,
                            const std::string &device)
{
    const auto binary = content.substr(std::min(content.size(), content.find('\n') + 1));
    const auto *bytes = reinterpret_cast<const unsigned char *>(binary.data()); // NOLINT(*-reinterpret-cast)
    const auto length = binary.size();
    cl_int status = CL_SUCCESS, of_binary = CL_SUCCESS;
    ClProgram program(
        clCreateProgramWithBinary(native.context, 1, &native.device, &length, &bytes, &of_binary, &status));
    if (status != CL_SUCCESS || of_binary != CL_SUCCESS)
        fail(Status::device, "kernel is ", in_quotes(name), ", whose binary ", device, " refuses with ",
             cl_error_name(of_binary != CL_SUCCESS ? of_binary : status),
             "; it must be one for this device, as clGetProgramInfo gives it, after a first line of text");
    build_program(native, program.get(), "-w", in_quotes(name));
    return program;
}

ClKernel kernel_of(DeviceSession &session, const std::string &name, const std::string &content, const char *function)
{
    const auto native = opencl_native(session.device());
    const bool is_source = name.starts_with("source:");
    const auto of_binary = is_source ? ClProgram() : program_of_binary(native, name, content, session.info().spec);
    auto *const program = is_source ? program_of_source(native, content, "-w", in_quotes(name)) : of_binary.get();
    cl_int status = CL_SUCCESS;
    ClKernel kernel(clCreateKernel(program, function, &status)); // which keeps the program
    if (status == CL_INVALID_KERNEL_NAME)
        fail(Status::unsupported, "kernel is ", in_quotes(name), ", which has no kernel ", in_quotes(function),
             "; products of this type need it");
    check_cl(status, "clCreateKernel");
    return kernel;
}

class GemmOfFile final : public InCardGemm
{
  public:
    GemmOfFile(Scalar type, std::string name, const Header &header, ClKernel kernel)
        : type_(type), name_(std::move(name)), header_(header),
          kernel_(std::make_shared<OpenClKernel>(std::move(kernel)))
    {
    }

    std::string_view name() const override { return name_; }
    Scalar type() const override { return type_; }
    std::int64_t row_multiple() const override { return header_.tile[0]; }
    std::int64_t column_multiple() const override { return header_.tile[1]; }
    std::int64_t scratch_bytes(std::int64_t, std::int64_t, std::int64_t) const override { return 0; }

    Launch product(const DeviceGemm &what) override
    {
        const auto count = [](std::int64_t value) { return static_cast<std::size_t>(value); };
        const auto range = tall_range(ceil_div(what.n, header_.tile[1]), ceil_div(what.m, header_.tile[0]),
                                      {count(header_.group[1]), count(header_.group[0])});
        return [kernel = kernel_, range, type = type_, what](LaunchContext &context) {
            const auto launch = [&](const auto &number) {
                kernel->launch(context, range, static_cast<cl_int>(what.transpose_a),
                               static_cast<cl_int>(what.transpose_b), cl_long{what.m}, cl_long{what.n}, cl_long{what.k},
                               number(what.alpha), opencl_native(*what.a.buffer), cl_long{what.a.offset},
                               cl_long{what.a.ld}, opencl_native(*what.b.buffer), cl_long{what.b.offset},
                               cl_long{what.b.ld}, number(what.beta), opencl_native(*what.c.buffer),
                               cl_long{what.c.offset}, cl_long{what.c.ld});
            };
            const auto narrow = [](double value) { return static_cast<float>(value); };
            switch (type) {
            case Scalar::s: return launch([&](const Coefficient &x) { return cl_float{narrow(x.real())}; });
            case Scalar::d: return launch([](const Coefficient &x) { return cl_double{x.real()}; });
            case Scalar::c:
                return launch([&](const Coefficient &x) { return cl_float2{{narrow(x.real()), narrow(x.imag())}}; });
            case Scalar::z: return launch([](const Coefficient &x) { return cl_double2{{x.real(), x.imag()}}; });
            }
        };
    }

  private:
    Scalar type_;
    std::string name_;
    Header header_;
    std::shared_ptr<OpenClKernel> kernel_;
};

} // namespace

std::shared_ptr<InCardGemm> make_gemm_of_file(DeviceSession &session, Scalar type, const std::string &name)
{
    const auto file = name.substr(name.find(':') + 1);
    const auto content = read_file(file);
    const auto header = parse_header(std::string_view(content).substr(0, content.find('\n')), file);
    auto kernel = kernel_of(session, name, content, gemm_functions[static_cast<std::size_t>(type)]);
    check_arguments(kernel.get(), file, type);
    check_group(session, kernel.get(), file, header);
    return std::make_shared<GemmOfFile>(type, name, header, std::move(kernel));
}

} // namespace hpart

// Products by the caller's own kernel: OpenCL's source, or a binary that needs no compiler here (FPGAs).
#include "core/error.hpp"
#include "core/file.hpp"
#include "core/numbers.hpp"
#include "out_of_card/in_card/gemm_kinds.hpp"
#include "out_of_card/in_card/gemm_opencl.hpp"

#include <array>

namespace hpart
{

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

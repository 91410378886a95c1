// Products by the caller's own kernel: OpenCL's source, or a binary that needs no compiler here (FPGAs).
#include "core/error.hpp"
#include "core/file.hpp"
#include "core/sizes.hpp"
#include "out_of_card/in_card/gemm_kinds.hpp"
#include "out_of_card/in_card/gemm_opencl.hpp"

#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <vector>

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

ClKernel kernel_of(DeviceSession &session, const std::string &name, std::string_view content, const char *function)
{
    const auto native = opencl_native(session.device());
    cl_int status = CL_SUCCESS;
    ClProgram program;
    if (name.starts_with("source:")) {
        const char *source = content.data();
        const auto length = content.size();
        program = ClProgram(clCreateProgramWithSource(native.context, 1, &source, &length, &status));
        check_cl(status, "clCreateProgramWithSource");
    } else {
        const auto binary = content.substr(std::min(content.size(), content.find('\n') + 1));
        const auto *bytes = reinterpret_cast<const unsigned char *>(binary.data()); // NOLINT(*-reinterpret-cast)
        const auto length = binary.size();
        cl_int of_binary = CL_SUCCESS;
        program = ClProgram(
            clCreateProgramWithBinary(native.context, 1, &native.device, &length, &bytes, &of_binary, &status));
        if (status != CL_SUCCESS || of_binary != CL_SUCCESS)
            fail(Status::device, "kernel is ", in_quotes(name), ", whose binary ", session.info().spec,
                 " refuses with ", cl_error_name(of_binary != CL_SUCCESS ? of_binary : status),
                 "; it must be one for this device");
    }
    build_program(native, program.get(), "-w", in_quotes(name));
    ClKernel kernel(clCreateKernel(program.get(), function, &status));
    if (status == CL_INVALID_KERNEL_NAME)
        fail(Status::unsupported, "kernel is ", in_quotes(name), ", which has no kernel ", in_quotes(function));
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
    std::int64_t hidden_bytes(std::int64_t, std::int64_t, std::int64_t) const override { return 0; }

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

template <typename Value> struct Part {
    using Real = Value;
};
template <typename Value> struct Part<std::complex<Value>> {
    using Real = Value;
};

// Compares the kernel with the host on products of a tile and a bit, of small whole numbers: their sums are exact.
template <typename Value> class Check
{
  public:
    Check(DeviceSession &session, InCardGemm &kernel)
        : session_(session), kernel_(kernel), m_(kernel.row_multiple() + 3), n_(kernel.column_multiple() + 5)
    {
    }

    void run()
    {
        for (const auto a : transposes)
            for (const auto b : transposes)
                for (const double beta : {0.0, 0.5}) compare(a, b, beta);
    }

  private:
    static constexpr Transpose transposes[] = {Transpose::none, Transpose::transpose, Transpose::conjugate};

    struct Matrix {
        std::int64_t rows, columns, ld, offset;
        std::vector<Value> values;
        Value &at(std::int64_t i, std::int64_t j) { return values[static_cast<std::size_t>(offset + i * ld + j)]; }
    };

    Matrix any(std::int64_t rows, std::int64_t columns)
    {
        Matrix matrix{rows, columns, columns + 3, 7, {}};
        matrix.values.resize(static_cast<std::size_t>(matrix.offset + rows * matrix.ld));
        std::uniform_int_distribution<int> small(-3, 3);
        for (auto &value : matrix.values) {
            value = static_cast<typename Part<Value>::Real>(small(random_));
            if constexpr (!std::is_floating_point_v<Value>)
                value += Value(0, static_cast<typename Part<Value>::Real>(small(random_)));
        }
        return matrix;
    }

    static Value element(Matrix &x, Transpose transpose, std::int64_t i, std::int64_t j)
    {
        const auto value = transpose == Transpose::none ? x.at(i, j) : x.at(j, i);
        if constexpr (!std::is_floating_point_v<Value>)
            if (transpose == Transpose::conjugate) return std::conj(value);
        return value;
    }

    SessionBuffer send(DeviceQueue &queue, const Matrix &matrix)
    {
        const auto bytes = static_cast<std::int64_t>(matrix.values.size() * sizeof(Value));
        auto buffer = session_.allocate(bytes);
        wait(session_.device().write(queue, {buffer.get(), 0, bytes}, matrix.values.data(), bytes, {1, bytes}, {}));
        return buffer;
    }

    void wait(const Event &event) const
    {
        if (event->wait() != EventState::done)
            fail(Status::device, "kernel ", in_quotes(kernel_.name()), " failed with ", event->failure());
    }

    void compare(Transpose transpose_a, Transpose transpose_b, double beta)
    {
        auto a = transpose_a == Transpose::none ? any(m_, depth) : any(depth, m_),
             b = transpose_b == Transpose::none ? any(depth, n_) : any(n_, depth), c = any(m_, n_);
        const auto before = c;
        if (beta == 0) // it must not be read
            for (std::int64_t i = 0; i < m_; ++i)
                for (std::int64_t j = 0; j < n_; ++j)
                    c.at(i, j) = std::numeric_limits<typename Part<Value>::Real>::quiet_NaN();
        auto &device = session_.device();
        const auto queue = device.make_queue();
        const auto of_a = send(*queue, a), of_b = send(*queue, b), of_c = send(*queue, c);
        constexpr double alpha = 2;
        const DeviceGemm what{m_,
                              n_,
                              depth,
                              transpose_a,
                              transpose_b,
                              alpha,
                              beta,
                              {of_a.get(), a.offset, a.ld},
                              {of_b.get(), b.offset, b.ld},
                              {of_c.get(), c.offset, c.ld}};
        wait(device.launch(*queue, kernel_.product(what), {}));
        auto got = c;
        const auto bytes = static_cast<std::int64_t>(c.values.size() * sizeof(Value));
        wait(device.read(*queue, {of_c.get(), 0, bytes}, got.values.data(), bytes, {1, bytes}, {}));
        auto expected = before;
        for (std::int64_t i = 0; i < m_; ++i)
            for (std::int64_t j = 0; j < n_; ++j) {
                Value sum{};
                for (std::int64_t k = 0; k < depth; ++k)
                    sum += element(a, transpose_a, i, k) * element(b, transpose_b, k, j);
                using Real = typename Part<Value>::Real;
                expected.at(i, j) = static_cast<Real>(alpha) * sum + static_cast<Real>(beta) * expected.at(i, j);
            }
        for (std::size_t at = 0; at < got.values.size(); ++at)
            if (!(std::abs(got.values[at] - expected.values[at]) <= 1e-4 * (1 + std::abs(expected.values[at]))))
                refuse(static_cast<std::int64_t>(at) - c.offset, c.ld, transpose_a, transpose_b, beta, got.values[at],
                       expected.values[at]);
    }

    [[noreturn]] void refuse(std::int64_t at, std::int64_t ld, Transpose a, Transpose b, double beta, Value got,
                             Value right) const
    {
        constexpr std::string_view letters = "NTC";
        const auto letter = [&](Transpose one) { return letters.substr(static_cast<std::size_t>(one), 1); };
        const auto row = at < 0 ? -1 : at / ld;
        const auto place = at >= 0 && row < m_ && at % ld < n_ ? text("C(", row + 1, ",", at % ld + 1, ")")
                                                               : std::string("an element beside C");
        fail_argument("kernel is ", in_quotes(kernel_.name()), ", which is no product: of ", m_, " x ", n_, " x ",
                      depth, ", op(A) op(B) = ", letter(a), letter(b), ", beta = ", beta, ", ", place, " is ",
                      std::real(got), complex_part(got), ", not ", std::real(right), complex_part(right));
    }
    static std::string complex_part(Value value)
    {
        return std::is_floating_point_v<Value> ? "" : text(" + ", std::imag(value), "i");
    }

    static constexpr std::int64_t depth = 37;
    DeviceSession &session_;
    InCardGemm &kernel_;
    std::int64_t m_, n_;
    std::minstd_rand random_;
};

} // namespace

std::shared_ptr<InCardGemm> make_gemm_of_file(DeviceSession &session, Scalar type, const std::string &name)
{
    const auto file = name.substr(name.find(':') + 1);
    const auto content = read_file(file);
    const auto header = parse_header(std::string_view(content).substr(0, content.find('\n')), file);
    constexpr const char *functions[] = {"sgemm", "dgemm", "cgemm", "zgemm"};
    auto kernel = std::make_shared<GemmOfFile>(
        type, name, header, kernel_of(session, name, content, functions[static_cast<std::size_t>(type)]));
    switch (type) {
    case Scalar::s: Check<float>(session, *kernel).run(); break;
    case Scalar::d: Check<double>(session, *kernel).run(); break;
    case Scalar::c: Check<std::complex<float>>(session, *kernel).run(); break;
    case Scalar::z: Check<std::complex<double>>(session, *kernel).run(); break;
    }
    return kernel;
}

} // namespace hpart

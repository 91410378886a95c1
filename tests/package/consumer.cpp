// A C++ program outside hpart's tree.
#include <hpart.hpp>

#include <iostream>

namespace
{

// A product on the host; a library without a BLAS says so.
bool multiplies()
{
    const double a[] = {1, 2, 3, 4}, b[] = {1, 1, 0, 1};
    double c[4] = {};
    try {
        hpart::device host("host");
        hpart::gemm(host, hpart::layout::row_major, hpart::transpose::no, hpart::transpose::no, 2, 2, 2, 1, a, 2, b, 2,
                    0, c, 2);
    } catch (const hpart::error &error) {
        return error.status() == HPART_ERR_UNSUPPORTED;
    }
    return c[1] == 3 && c[3] == 7;
}

} // namespace

int main()
{
    try {
        hpart::platform platform(2);
        platform.set_time_function(0, {1, 2, 3}, {1.0, 2.0, 3.0});
        platform.set_time_function(1, {1, 2, 3}, {0.5, 0.75, 4.0});
        return platform.evaluate_seconds({1, 2}) == 1 && multiplies() ? 0 : 1;
    } catch (const hpart::error &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}

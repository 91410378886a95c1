// Two processors whose time is known at four sizes: who gets how much of 12 units, so that the work is done first?
#include <hpart.hpp>

#include <iostream>

int main()
{
    try {
        hpart::platform platform(2);
        platform.set_time_function(0, {2, 4, 8, 10}, {1.0, 2.0, 5.0, 7.0});
        platform.set_time_function(1, {2, 4, 8, 10}, {2.0, 2.1, 2.5, 6.0});
        const auto best = hpart::partition(platform, hpart::objective::time, 12);
        std::cout << "CPU " << best.x[0] << ", GPU " << best.x[1] << ": " << best.seconds
                  << " s\n"; // CPU 4, GPU 8: 2.5 s
    } catch (const hpart::error &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}

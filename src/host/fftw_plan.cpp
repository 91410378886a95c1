#include "host/fftw_plan.hpp"

namespace hpart
{

std::mutex &fftw_planner_mutex()
{
    static std::mutex the_one;
    return the_one;
}

} // namespace hpart

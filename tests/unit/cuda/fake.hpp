// The beginning and the end of all tests on the fake driver.
#pragma once

#include "fake_cuda.hpp"
#include "out_of_card/devices/cuda_device.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace fake
{

inline const hpart::CudaLibraries libraries{FAKE_CUDA_LIBRARY, FAKE_CUDA_LIBRARY, FAKE_CUDA_LIBRARY};

inline std::shared_ptr<hpart::Device> open(std::int64_t number = 0)
{
    return hpart::make_cuda_device(number, libraries);
}

// Nothing that CUDA leaves undefined was done, and all went back.
inline void expect_clean()
{
    for (const auto &violation : fake_cuda::violations()) ADD_FAILURE() << violation;
    EXPECT_EQ(fake_cuda::live().sum(), 0);
    EXPECT_EQ(fake_cuda::current_contexts(), 0);
}

class Test : public testing::Test
{
  protected:
    void SetUp() override { fake_cuda::reset(); }
    void TearDown() override { expect_clean(); }
};

using Random = std::mt19937_64;
inline Random seeded(std::uint64_t stream)
{
    const auto *const seed = std::getenv("HPART_TEST_SEED");
    return Random(stream + (seed != nullptr ? std::strtoull(seed, nullptr, 10) << 32 : 0));
}
inline std::int64_t between(Random &random, std::int64_t low, std::int64_t high)
{
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}
inline std::int64_t instances(std::int64_t usual)
{
    const auto *const count = std::getenv("HPART_TEST_INSTANCES");
    return count != nullptr ? std::max<std::int64_t>(1, std::strtoll(count, nullptr, 10) * usual / 2000) : usual;
}

} // namespace fake

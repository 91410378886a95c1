// While one exists each BLAS call runs on the thread that makes it.
#pragma once

namespace hpart
{

// OpenBLAS has one pool of threads for the whole process, and its size is the process's too: callers at the same time
// would wait for each other. The kernels bring their own threads instead. The last one of these to go puts the number of
// threads back that was set when the first one came.
class SingleThreadedBlas
{
  public:
    SingleThreadedBlas();
    SingleThreadedBlas(const SingleThreadedBlas &) = delete;
    SingleThreadedBlas &operator=(const SingleThreadedBlas &) = delete;
    ~SingleThreadedBlas();
};

} // namespace hpart

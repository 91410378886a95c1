// While a thread has one, its BLAS calls run on it alone.
#pragma once

namespace hpart
{

// OpenBLAS has one pool of threads for the whole process, and its size is the process's too: callers at the same time
// would wait for each other. The kernels bring their own threads instead. The last one of these to go puts the number of
// threads back that was set when the first one came. With OpenMP's threads each thread has a number of its own, which this one puts back.
// Each thread that computes makes one, and it ends on that thread.
class SingleThreadedBlas
{
  public:
    SingleThreadedBlas();
    SingleThreadedBlas(const SingleThreadedBlas &) = delete;
    SingleThreadedBlas &operator=(const SingleThreadedBlas &) = delete;
    ~SingleThreadedBlas();

  private:
    int of_this_thread_ = 0;
};

} // namespace hpart

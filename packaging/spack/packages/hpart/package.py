"""hpart for Spack. `spack repo add CLONE/packaging/spack`, then `spack install hpart`: the source is the clone's branch main."""

import pathlib

from spack.package import *


class Hpart(CMakePackage):
    """Optimal distribution of a workload over the unlike processors of a node or cluster."""

    git = pathlib.Path(__file__).resolve().parents[4].as_uri()
    license("BSD-3-Clause")  # of the source; with fftw or gsl the library is under the GPL

    version("main", branch="main")

    variant("shared", default=True, description="Shared libraries")
    variant("core_only", default=False, description="Models, partitioners and adaptive alone, without any dependency")
    variant("tools", default=True, description="The hpart command")
    variant("fortran", default=True, description="The Fortran module")
    variant("mpi", default=True, description="libhpart_mpi")
    variant("python", default=True, description="The Python package")
    variant("opencl", default=False, description="OpenCL devices, without FFT on them")
    variant("fftw", default=True, description="FFT on cores (GPL)")
    variant("gsl", default=False, description="Student's t distribution by GSL (GPL) and not by Boost.Math")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cli11", type="build", when="+tools")
    depends_on("nlohmann-json", type="build", when="+tools")
    depends_on("mpi", when="+mpi")
    depends_on("swig@4.1:", type="build", when="+python")
    depends_on("python@3.11:", type=("build", "run"), when="+python")
    depends_on("python@3.11:", type="build", when="+fortran")
    depends_on("py-numpy@1.23:", type=("build", "run"), when="+python")
    extends("python", when="+python")
    with when("~core_only"):
        depends_on("openblas")
        depends_on("hwloc")
        depends_on("fftw@3: precision=float,double", when="+fftw")
        depends_on("gsl", when="+gsl")
        depends_on("boost+math", when="~gsl")
        depends_on("opencl", when="+opencl")
        depends_on("clblast", when="+opencl")

    def cmake_args(self):
        args = [
            self.define("CMAKE_UNITY_BUILD", True),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("HPART_CORE_ONLY", "core_only"),
            self.define_from_variant("HPART_TOOLS", "tools"),
            self.define_from_variant("HPART_FORTRAN", "fortran"),
            self.define_from_variant("HPART_MPI", "mpi"),
            self.define_from_variant("HPART_PYTHON", "python"),
            self.define("HPART_LANGUAGES", "none"),
        ]
        if self.spec.satisfies("~core_only"):
            args += [
                self.define_from_variant("HPART_WITH_FFTW", "fftw"),
                self.define_from_variant("HPART_WITH_GSL", "gsl"),
                self.define_from_variant("HPART_WITH_OPENCL", "opencl"),
                self.define_from_variant("HPART_WITH_CLBLAST", "opencl"),
                self.define("HPART_WITH_VKFFT", False),  # Spack has no package of it
            ]
        return args

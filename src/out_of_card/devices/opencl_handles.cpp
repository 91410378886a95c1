#include "out_of_card/devices/opencl_handles.hpp"

#include "core/error.hpp"

namespace hpart
{

std::string cl_error_name(cl_int status)
{
    switch (status) {
#define HPART_CL_NAME(code)                                                                                            \
    case code: return text(#code, " (", status, ")");
        HPART_CL_NAME(CL_DEVICE_NOT_FOUND)
        HPART_CL_NAME(CL_DEVICE_NOT_AVAILABLE)
        HPART_CL_NAME(CL_COMPILER_NOT_AVAILABLE)
        HPART_CL_NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE)
        HPART_CL_NAME(CL_OUT_OF_RESOURCES)
        HPART_CL_NAME(CL_OUT_OF_HOST_MEMORY)
        HPART_CL_NAME(CL_BUILD_PROGRAM_FAILURE)
        HPART_CL_NAME(CL_DEVICE_PARTITION_FAILED)
        HPART_CL_NAME(CL_MEM_COPY_OVERLAP)
        HPART_CL_NAME(CL_MAP_FAILURE)
        HPART_CL_NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET)
        HPART_CL_NAME(CL_INVALID_VALUE)
        HPART_CL_NAME(CL_INVALID_CONTEXT)
        HPART_CL_NAME(CL_INVALID_COMMAND_QUEUE)
        HPART_CL_NAME(CL_INVALID_HOST_PTR)
        HPART_CL_NAME(CL_INVALID_MEM_OBJECT)
        HPART_CL_NAME(CL_INVALID_BINARY)
        HPART_CL_NAME(CL_INVALID_BUILD_OPTIONS)
        HPART_CL_NAME(CL_INVALID_PROGRAM)
        HPART_CL_NAME(CL_INVALID_PROGRAM_EXECUTABLE)
        HPART_CL_NAME(CL_INVALID_KERNEL_NAME)
        HPART_CL_NAME(CL_INVALID_KERNEL_DEFINITION)
        HPART_CL_NAME(CL_INVALID_KERNEL_ARGS)
        HPART_CL_NAME(CL_INVALID_ARG_INDEX)
        HPART_CL_NAME(CL_INVALID_ARG_VALUE)
        HPART_CL_NAME(CL_INVALID_ARG_SIZE)
        HPART_CL_NAME(CL_INVALID_WORK_GROUP_SIZE)
        HPART_CL_NAME(CL_INVALID_WORK_ITEM_SIZE)
        HPART_CL_NAME(CL_INVALID_GLOBAL_OFFSET)
        HPART_CL_NAME(CL_INVALID_EVENT_WAIT_LIST)
        HPART_CL_NAME(CL_INVALID_EVENT)
        HPART_CL_NAME(CL_INVALID_OPERATION)
        HPART_CL_NAME(CL_INVALID_BUFFER_SIZE)
        HPART_CL_NAME(CL_INVALID_GLOBAL_WORK_SIZE)
        HPART_CL_NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
#undef HPART_CL_NAME
    default: return text("status ", status);
    }
}

namespace
{

[[noreturn]] void fail_call(Status kind, cl_int status, const char *call)
{
    fail(kind, "the OpenCL call ", call, " failed with ", cl_error_name(status));
}

} // namespace

void check_cl(cl_int status, const char *call)
{
    if (status == CL_SUCCESS) return;
    const bool memory = status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_HOST_MEMORY;
    fail_call(memory ? Status::out_of_memory : Status::device, status, call);
}

void check_allocation(cl_int status, const char *call)
{
    // Other calls report a kernel's fault as CL_OUT_OF_RESOURCES, too.
    if (status == CL_OUT_OF_RESOURCES || status == CL_INVALID_BUFFER_SIZE)
        fail_call(Status::out_of_memory, status, call);
    check_cl(status, call);
}

} // namespace hpart

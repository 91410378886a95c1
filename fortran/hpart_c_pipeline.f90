! hpart.h as it is, for the other modules: pipelines.
module hpart_c_pipeline
  use, intrinsic :: iso_c_binding, only: c_char, c_funptr, c_int32_t, c_int64_t, c_ptr
  implicit none
  public

  abstract interface
    function block_call(pipeline, array, memory, rows, row_bytes, pitch_bytes) bind(C) result(status)
      import
      type(c_ptr), value :: pipeline, memory
      integer(c_int64_t), value :: array, rows, row_bytes, pitch_bytes
      integer(c_int32_t) :: status
    end function
  end interface

  procedure(block_call), bind(C, name='hpart_pipeline_read') :: c_pipeline_read
  procedure(block_call), bind(C, name='hpart_pipeline_write') :: c_pipeline_write
  procedure(block_call), bind(C, name='hpart_pipeline_update') :: c_pipeline_update

  interface
    function c_device_native(device, k, what, handle) bind(C, name='hpart_device_native') result(status)
      import
      type(c_ptr), value :: device
      integer(c_int64_t), value :: k
      character(kind=c_char), intent(in) :: what(*)
      type(c_ptr), intent(inout) :: handle
      integer(c_int32_t) :: status
    end function

    function c_pipeline_create(device, pipeline) bind(C, name='hpart_pipeline_create') result(status)
      import
      type(c_ptr), value :: device
      type(c_ptr), intent(inout) :: pipeline
      integer(c_int32_t) :: status
    end function

    subroutine c_pipeline_destroy(pipeline) bind(C, name='hpart_pipeline_destroy')
      import
      type(c_ptr), value :: pipeline
    end subroutine

    function c_pipeline_add_array(pipeline, block_bytes, slots, array) bind(C, name='hpart_pipeline_add_array') result(status)
      import
      type(c_ptr), value :: pipeline
      integer(c_int64_t), value :: block_bytes, slots
      integer(c_int64_t), intent(inout) :: array
      integer(c_int32_t) :: status
    end function

    function c_pipeline_end_step(pipeline) bind(C, name='hpart_pipeline_end_step') result(status)
      import
      type(c_ptr), value :: pipeline
      integer(c_int32_t) :: status
    end function

    function c_pipeline_run(pipeline, kernel, user, options, report) bind(C, name='hpart_pipeline_run') result(status)
      import
      type(c_ptr), value :: pipeline, user, options, report
      type(c_funptr), value :: kernel
      integer(c_int32_t) :: status
    end function

    function c_step_index(step) bind(C, name='hpart_step_index') result(index)
      import
      type(c_ptr), value :: step
      integer(c_int64_t) :: index
    end function

    function c_step_queue(step) bind(C, name='hpart_step_queue') result(queue)
      import
      type(c_ptr), value :: step
      type(c_ptr) :: queue
    end function

    function c_step_memory(step, k) bind(C, name='hpart_step_memory') result(memory)
      import
      type(c_ptr), value :: step
      integer(c_int64_t), value :: k
      type(c_ptr) :: memory
    end function
  end interface

end module

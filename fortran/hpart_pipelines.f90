module hpart_pipelines_32
  use, intrinsic :: iso_c_binding, only: c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64, sk => int32
  use hpart_c
  use hpart_constants
  use hpart_failures
  use hpart_handles
  include 'hpart_pipeline.inc'
end module

module hpart_pipelines_64
  use, intrinsic :: iso_c_binding, only: c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64, sk => int64
  use hpart_c
  use hpart_constants
  use hpart_failures
  use hpart_handles
  include 'hpart_pipeline.inc'
end module

! A user's own kernel on data that is larger than the device.
module hpart_pipelines
  use, intrinsic :: iso_c_binding, only: c_funloc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use hpart_c
  use hpart_callbacks
  use hpart_constants
  use hpart_failures
  use hpart_handles
  implicit none
  private
  public :: hpart_pipeline_create, hpart_pipeline_end_step, hpart_pipeline_run, hpart_step_index, hpart_step_queue

contains

  ! The device must stay open until the pipeline is destroyed.
  subroutine hpart_pipeline_create(device, pipeline, ierr)
    type(hpart_device), intent(in) :: device
    type(hpart_pipeline), intent(inout) :: pipeline
    integer(int32), intent(out), optional :: ierr
    type(c_ptr) :: handle
    integer(int32) :: status
    handle = c_null_ptr
    status = c_pipeline_create(c_handle(device), handle)
    call adopt(pipeline, handle)
    call finish(status, ierr)
  end subroutine

  subroutine hpart_pipeline_end_step(pipeline, ierr)
    type(hpart_pipeline), intent(in) :: pipeline
    integer(int32), intent(out), optional :: ierr
    call finish(c_pipeline_end_step(c_handle(pipeline)), ierr)
  end subroutine

  subroutine hpart_pipeline_run(pipeline, kernel, ierr, user, options, report)
    type(hpart_pipeline), intent(in) :: pipeline
    procedure(hpart_pipeline_kernel) :: kernel
    integer(int32), intent(out), optional :: ierr
    type(c_ptr), intent(in), optional :: user
    type(hpart_options), intent(in), optional :: options
    type(hpart_report), intent(inout), optional :: report
    type(c_ptr), target :: handle
    type(c_ptr) :: given
    integer(int32) :: status
    given = c_null_ptr
    handle = c_null_ptr
    if (present(user)) given = user
    status = c_pipeline_run(c_handle(pipeline), c_funloc(kernel), given, handle_of(options), &
        report_target(handle, present(report)))
    if (present(report)) call adopt(report, handle)
    call finish(status, ierr)
  end subroutine

  ! From 1.
  integer(int64) function hpart_step_index(step) result(index)
    type(c_ptr), intent(in) :: step
    index = c_step_index(step) + 1
  end function

  type(c_ptr) function hpart_step_queue(step) result(queue)
    type(c_ptr), intent(in) :: step
    queue = c_step_queue(step)
  end function

end module

! hpart.h as it is, for the other modules: energy meters.
module hpart_c_meters
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_funptr, c_int32_t, c_int64_t, c_ptr
  implicit none
  public

  interface
    function c_meter_open(spec, options, meter) bind(C, name='hpart_meter_open') result(status)
      import
      character(kind=c_char), intent(in) :: spec(*)
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: meter
      integer(c_int32_t) :: status
    end function

    function c_meter_create(name, read, quantity, interval_seconds, wrap, user, free_user, meter) &
        bind(C, name='hpart_meter_create') result(status)
      import
      character(kind=c_char), intent(in) :: name(*)
      type(c_funptr), value :: read, free_user
      integer(c_int32_t), value :: quantity
      real(c_double), value :: interval_seconds, wrap
      type(c_ptr), value :: user
      type(c_ptr), intent(inout) :: meter
      integer(c_int32_t) :: status
    end function

    function c_meter_count() bind(C, name='hpart_meter_count') result(number)
      import
      integer(c_int64_t) :: number
    end function

    function c_meter_describe(k, buffer, capacity, needed, works_here) bind(C, name='hpart_meter_describe') result(status)
      import
      integer(c_int64_t), value :: k, capacity
      type(c_ptr), value :: buffer
      integer(c_int64_t), intent(inout) :: needed
      integer(c_int32_t), intent(inout) :: works_here
      integer(c_int32_t) :: status
    end function

    function c_meter_start(meter) bind(C, name='hpart_meter_start') result(status)
      import
      type(c_ptr), value :: meter
      integer(c_int32_t) :: status
    end function

    function c_meter_stop(meter, joules, seconds) bind(C, name='hpart_meter_stop') result(status)
      import
      type(c_ptr), value :: meter
      real(c_double), intent(inout) :: joules, seconds
      integer(c_int32_t) :: status
    end function

    function c_meter_base_power(meter, seconds, watts, standard_error) bind(C, name='hpart_meter_base_power') result(status)
      import
      type(c_ptr), value :: meter
      real(c_double), value :: seconds
      real(c_double), intent(inout) :: watts, standard_error
      integer(c_int32_t) :: status
    end function

    function c_meter_report(meter, report) bind(C, name='hpart_meter_report') result(status)
      import
      type(c_ptr), value :: meter
      type(c_ptr), intent(inout) :: report
      integer(c_int32_t) :: status
    end function

    subroutine c_meter_close(meter) bind(C, name='hpart_meter_close')
      import
      type(c_ptr), value :: meter
    end subroutine
  end interface

end module

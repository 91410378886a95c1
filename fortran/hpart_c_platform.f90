! hpart.h as it is, for the other modules: status, options, reports, information and platforms.
! Arguments that may be NULL are plain c_ptr.
module hpart_c_platform
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_funptr, c_int32_t, c_int64_t, c_ptr
  implicit none
  public

  interface
    function c_strerror(status) bind(C, name='hpart_strerror') result(text)
      import
      integer(c_int32_t), value :: status
      type(c_ptr) :: text
    end function

    function c_last_error() bind(C, name='hpart_last_error') result(text)
      import
      type(c_ptr) :: text
    end function

    function c_last_error_copy(buffer, capacity, needed) bind(C, name='hpart_last_error_copy') result(status)
      import
      type(c_ptr), value :: buffer
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: needed
      integer(c_int32_t) :: status
    end function

    subroutine c_version(major, minor, patch) bind(C, name='hpart_version')
      import
      integer(c_int32_t), intent(inout) :: major, minor, patch
    end subroutine

    function c_options_create(options) bind(C, name='hpart_options_create') result(status)
      import
      type(c_ptr), intent(inout) :: options
      integer(c_int32_t) :: status
    end function

    subroutine c_options_destroy(options) bind(C, name='hpart_options_destroy')
      import
      type(c_ptr), value :: options
    end subroutine

    function c_options_set_string(options, key, value) bind(C, name='hpart_options_set_string') result(status)
      import
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: key(*), value(*)
      integer(c_int32_t) :: status
    end function

    function c_options_set_int(options, key, value) bind(C, name='hpart_options_set_int') result(status)
      import
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: key(*)
      integer(c_int64_t), value :: value
      integer(c_int32_t) :: status
    end function

    function c_options_set_double(options, key, value) bind(C, name='hpart_options_set_double') result(status)
      import
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: key(*)
      real(c_double), value :: value
      integer(c_int32_t) :: status
    end function

    function c_options_set_previous(options, processors, x) bind(C, name='hpart_options_set_previous') result(status)
      import
      type(c_ptr), value :: options
      integer(c_int64_t), value :: processors
      integer(c_int64_t), intent(in) :: x(*)
      integer(c_int32_t) :: status
    end function

    function c_options_set_progress(options, progress, user, free_user) &
        bind(C, name='hpart_options_set_progress') result(status)
      import
      type(c_ptr), value :: options, user
      type(c_funptr), value :: progress, free_user
      integer(c_int32_t) :: status
    end function

    subroutine c_report_destroy(report) bind(C, name='hpart_report_destroy')
      import
      type(c_ptr), value :: report
    end subroutine

    function c_report_count(report) bind(C, name='hpart_report_count') result(number)
      import
      type(c_ptr), value :: report
      integer(c_int64_t) :: number
    end function

    function c_report_key(report, k) bind(C, name='hpart_report_key') result(text)
      import
      type(c_ptr), value :: report
      integer(c_int64_t), value :: k
      type(c_ptr) :: text
    end function

    function c_report_type(report, key) bind(C, name='hpart_report_type') result(kind)
      import
      type(c_ptr), value :: report
      character(kind=c_char), intent(in) :: key(*)
      integer(c_int32_t) :: kind
    end function

    function c_report_get_string(report, key, buffer, capacity, needed) &
        bind(C, name='hpart_report_get_string') result(status)
      import
      type(c_ptr), value :: report, buffer
      character(kind=c_char), intent(in) :: key(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: needed
      integer(c_int32_t) :: status
    end function

    function c_report_get_int(report, key, value) bind(C, name='hpart_report_get_int') result(status)
      import
      type(c_ptr), value :: report
      character(kind=c_char), intent(in) :: key(*)
      integer(c_int64_t), intent(inout) :: value
      integer(c_int32_t) :: status
    end function

    function c_report_get_double(report, key, value) bind(C, name='hpart_report_get_double') result(status)
      import
      type(c_ptr), value :: report
      character(kind=c_char), intent(in) :: key(*)
      real(c_double), intent(inout) :: value
      integer(c_int32_t) :: status
    end function

    function c_report_get_doubles(report, key, values, capacity, needed) &
        bind(C, name='hpart_report_get_doubles') result(status)
      import
      type(c_ptr), value :: report, values
      character(kind=c_char), intent(in) :: key(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: needed
      integer(c_int32_t) :: status
    end function

    function c_info(report) bind(C, name='hpart_info') result(status)
      import
      type(c_ptr), intent(inout) :: report
      integer(c_int32_t) :: status
    end function

    function c_platform_create(processors, platform) bind(C, name='hpart_platform_create') result(status)
      import
      integer(c_int64_t), value :: processors
      type(c_ptr), intent(inout) :: platform
      integer(c_int32_t) :: status
    end function

    subroutine c_platform_destroy(platform) bind(C, name='hpart_platform_destroy')
      import
      type(c_ptr), value :: platform
    end subroutine

    function c_platform_processors(platform) bind(C, name='hpart_platform_processors') result(number)
      import
      type(c_ptr), value :: platform
      integer(c_int64_t) :: number
    end function

    function c_platform_set_name(platform, processor, name) bind(C, name='hpart_platform_set_name') result(status)
      import
      type(c_ptr), value :: platform
      integer(c_int64_t), value :: processor
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int32_t) :: status
    end function

    function c_platform_get_name(platform, processor, buffer, capacity, needed) &
        bind(C, name='hpart_platform_get_name') result(status)
      import
      type(c_ptr), value :: platform, buffer
      integer(c_int64_t), value :: processor, capacity
      integer(c_int64_t), intent(inout) :: needed
      integer(c_int32_t) :: status
    end function

    function c_platform_set_time_function(platform, processor, points, sizes, seconds) &
        bind(C, name='hpart_platform_set_time_function') result(status)
      import
      type(c_ptr), value :: platform
      integer(c_int64_t), value :: processor, points
      integer(c_int64_t), intent(in) :: sizes(*)
      real(c_double), intent(in) :: seconds(*)
      integer(c_int32_t) :: status
    end function

    function c_platform_set_energy_function(platform, processor, points, sizes, joules) &
        bind(C, name='hpart_platform_set_energy_function') result(status)
      import
      type(c_ptr), value :: platform
      integer(c_int64_t), value :: processor, points
      integer(c_int64_t), intent(in) :: sizes(*)
      real(c_double), intent(in) :: joules(*)
      integer(c_int32_t) :: status
    end function

    function c_platform_set_speed_function(platform, processor, points, sizes, speeds, complexity, user) &
        bind(C, name='hpart_platform_set_speed_function') result(status)
      import
      type(c_ptr), value :: platform, user
      integer(c_int64_t), value :: processor, points
      integer(c_int64_t), intent(in) :: sizes(*)
      real(c_double), intent(in) :: speeds(*)
      type(c_funptr), value :: complexity
      integer(c_int32_t) :: status
    end function

    function c_platform_get_function(platform, processor, sizes, seconds, joules, capacity, needed) &
        bind(C, name='hpart_platform_get_function') result(status)
      import
      type(c_ptr), value :: platform, sizes, seconds, joules
      integer(c_int64_t), value :: processor, capacity
      integer(c_int64_t), intent(inout) :: needed
      integer(c_int32_t) :: status
    end function

    function c_platform_set_time_interval(platform, processor, points, sizes, low, high, repetitions) &
        bind(C, name='hpart_platform_set_time_interval') result(status)
      import
      type(c_ptr), value :: platform, repetitions
      integer(c_int64_t), value :: processor, points
      integer(c_int64_t), intent(in) :: sizes(*)
      real(c_double), intent(in) :: low(*), high(*)
      integer(c_int32_t) :: status
    end function

    function c_platform_set_energy_interval(platform, processor, points, sizes, low, high, repetitions) &
        bind(C, name='hpart_platform_set_energy_interval') result(status)
      import
      type(c_ptr), value :: platform, repetitions
      integer(c_int64_t), value :: processor, points
      integer(c_int64_t), intent(in) :: sizes(*)
      real(c_double), intent(in) :: low(*), high(*)
      integer(c_int32_t) :: status
    end function

    function c_platform_get_intervals(platform, processor, time_low, time_high, energy_low, energy_high, repetitions, &
        capacity, needed) bind(C, name='hpart_platform_get_intervals') result(status)
      import
      type(c_ptr), value :: platform, time_low, time_high, energy_low, energy_high, repetitions
      integer(c_int64_t), value :: processor, capacity
      integer(c_int64_t), intent(inout) :: needed
      integer(c_int32_t) :: status
    end function

    function c_platform_set_limits(platform, processor, smallest, largest) &
        bind(C, name='hpart_platform_set_limits') result(status)
      import
      type(c_ptr), value :: platform
      integer(c_int64_t), value :: processor, smallest, largest
      integer(c_int32_t) :: status
    end function

    function c_platform_get_limits(platform, processor, smallest, largest) &
        bind(C, name='hpart_platform_get_limits') result(status)
      import
      type(c_ptr), value :: platform
      integer(c_int64_t), value :: processor
      integer(c_int64_t), intent(inout) :: smallest, largest
      integer(c_int32_t) :: status
    end function

    function c_platform_set_base_power(platform, watts) bind(C, name='hpart_platform_set_base_power') result(status)
      import
      type(c_ptr), value :: platform
      real(c_double), value :: watts
      integer(c_int32_t) :: status
    end function

    function c_platform_get_base_power(platform, watts) bind(C, name='hpart_platform_get_base_power') result(status)
      import
      type(c_ptr), value :: platform
      real(c_double), intent(inout) :: watts
      integer(c_int32_t) :: status
    end function

    function c_platform_set_link(platform, from, to, latency_seconds, bytes_per_second) &
        bind(C, name='hpart_platform_set_link') result(status)
      import
      type(c_ptr), value :: platform
      integer(c_int64_t), value :: from, to
      real(c_double), value :: latency_seconds, bytes_per_second
      integer(c_int32_t) :: status
    end function

    function c_platform_get_link(platform, from, to, latency_seconds, bytes_per_second) &
        bind(C, name='hpart_platform_get_link') result(status)
      import
      type(c_ptr), value :: platform
      integer(c_int64_t), value :: from, to
      real(c_double), intent(inout) :: latency_seconds, bytes_per_second
      integer(c_int32_t) :: status
    end function

    function c_platform_set_host_link(platform, processor, latency_seconds, bytes_per_second) &
        bind(C, name='hpart_platform_set_host_link') result(status)
      import
      type(c_ptr), value :: platform
      integer(c_int64_t), value :: processor
      real(c_double), value :: latency_seconds, bytes_per_second
      integer(c_int32_t) :: status
    end function

    function c_platform_get_host_link(platform, processor, latency_seconds, bytes_per_second) &
        bind(C, name='hpart_platform_get_host_link') result(status)
      import
      type(c_ptr), value :: platform
      integer(c_int64_t), value :: processor
      real(c_double), intent(inout) :: latency_seconds, bytes_per_second
      integer(c_int32_t) :: status
    end function

    function c_platform_get_border_bytes(platform, bytes) bind(C, name='hpart_platform_get_border_bytes') result(status)
      import
      type(c_ptr), value :: platform
      real(c_double), intent(inout) :: bytes
      integer(c_int32_t) :: status
    end function

    function c_platform_set_border_bytes(platform, bytes) &
        bind(C, name='hpart_platform_set_border_bytes') result(status)
      import
      type(c_ptr), value :: platform
      real(c_double), value :: bytes
      integer(c_int32_t) :: status
    end function

    function c_platform_set_kernel(platform, kernel) bind(C, name='hpart_platform_set_kernel') result(status)
      import
      type(c_ptr), value :: platform
      character(kind=c_char), intent(in) :: kernel(*)
      integer(c_int32_t) :: status
    end function

    function c_platform_get_kernel(platform, buffer, capacity, needed) &
        bind(C, name='hpart_platform_get_kernel') result(status)
      import
      type(c_ptr), value :: platform, buffer
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: needed
      integer(c_int32_t) :: status
    end function

    function c_platform_replicate(node, copies, cluster) bind(C, name='hpart_platform_replicate') result(status)
      import
      type(c_ptr), value :: node
      integer(c_int64_t), value :: copies
      type(c_ptr), intent(inout) :: cluster
      integer(c_int32_t) :: status
    end function

    function c_platform_read(path, platform) bind(C, name='hpart_platform_read') result(status)
      import
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), intent(inout) :: platform
      integer(c_int32_t) :: status
    end function

    function c_platform_write(platform, path) bind(C, name='hpart_platform_write') result(status)
      import
      type(c_ptr), value :: platform
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int32_t) :: status
    end function

    function c_platform_evaluate(platform, x, seconds, joules) &
        bind(C, name='hpart_platform_evaluate') result(status)
      import
      type(c_ptr), value :: platform, seconds, joules
      integer(c_int64_t), intent(in) :: x(*)
      integer(c_int32_t) :: status
    end function
  end interface

end module

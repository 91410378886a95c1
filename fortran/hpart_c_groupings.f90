! hpart.h as it is, for the other modules: groupings of cores.
module hpart_c_groupings
  use, intrinsic :: iso_c_binding, only: c_char, c_int32_t, c_int64_t, c_ptr
  implicit none
  public

  interface
    function c_grouping_count(topology, number) bind(C, name='hpart_grouping_count') result(status)
      import
      type(c_ptr), value :: topology
      integer(c_int64_t), intent(inout) :: number
      integer(c_int32_t) :: status
    end function

    function c_grouping_describe(topology, k, buffer, capacity, needed) bind(C, name='hpart_grouping_describe') &
        result(status)
      import
      type(c_ptr), value :: topology, buffer
      integer(c_int64_t), value :: k, capacity
      integer(c_int64_t), intent(inout) :: needed
      integer(c_int32_t) :: status
    end function
  end interface

end module

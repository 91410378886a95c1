! hpart for Fortran: use hpart, link with hpart_fortran (pkg-config hpart-fortran). The calls are those of hpart.h under their own
! names, with these differences:
!   - handles are types; assignment shares one, and the last variable to go destroys it;
!   - ierr (integer(int32)) follows the outputs and is optional: without it a failure stops the program with the library's message;
!     options= and report= come after it, by keyword;
!   - processors, points, tasks, report keys and devices count from 1;
!   - integers are int32 or int64, arrays know their lengths, texts that come back are allocatable.
module hpart
  use hpart_callbacks
  use hpart_common, only: HPART_OBJECTIVE_TIME, HPART_OBJECTIVE_ENERGY, HPART_OBJECTIVE_TOTAL_ENERGY, &
      HPART_ENERGY_DYNAMIC, HPART_ENERGY_TOTAL, HPART_REPORT_INT, HPART_REPORT_DOUBLE, HPART_REPORT_STRING, &
      HPART_REPORT_DOUBLES
  use hpart_failures, only: hpart_strerror, hpart_last_error, HPART_SUCCESS, HPART_ERR_INVALID_ARGUMENT, &
      HPART_ERR_OUT_OF_MEMORY, HPART_ERR_INFEASIBLE, HPART_ERR_UNSUPPORTED, HPART_ERR_IO, HPART_ERR_FORMAT, HPART_ERR_DEVICE, &
      HPART_ERR_PERMISSION, HPART_ERR_CALLBACK, HPART_ERR_CANCELLED, HPART_ERR_LIMIT, HPART_ERR_NUMERICAL, HPART_ERR_INTERNAL
  use hpart_handles, only: hpart_options, hpart_report, hpart_platform, hpart_family, hpart_front, hpart_schedule, &
      hpart_team, hpart_options_destroy, hpart_report_destroy, hpart_platform_destroy, hpart_family_destroy, &
      hpart_front_destroy, hpart_schedule_destroy, hpart_team_destroy
  use hpart_settings
  use hpart_plain
  use hpart_indexed_32
  use hpart_indexed_64
  use hpart_sized_32
  use hpart_sized_64
  use hpart_both_32_32
  use hpart_both_32_64
  use hpart_both_64_32
  use hpart_both_64_64
  implicit none
  public
end module

#!/usr/bin/env bash
# gfortran 16: an array that is assigned itself in another order is finalised before its elements are assigned, from copies that nobody made.
#
# Compiler   GNU Fortran 16.2, package gfortran-16 16.2.0-4 of Debian unstable (amd64)
# Input      all = [all(2), all(1)], for an array of a type with a component that has a finaliser and a defined assignment: how Fortran
#            modules count the variables that share a handle of a C library
# Expected   The assignment of the component reads items that still live: the constructor's elements count as holders, or the variable is
#            finalised last, as with version 12.
# Seen       Both items are finalised first. Then the defined assignment reads bitwise copies of them, whose finaliser has run: a handle that
#            the finaliser frees is used after that. The standard allows it (the variable is finalised after the expression is evaluated,
#            and a constructor's values are no assignments).
# For users  Assign through a second array: other = all; all(1) = other(2); all(2) = other(1). Let the finaliser mark what it frees, so that a
#            copy can tell.
#
# Needs root, mmdebstrap and 1 GB: the packages are those of a Debian unstable in a folder of its own.
# Usage: findings/gfortran-finalises-first.sh     Status 0: as seen; 1: the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | sed -n 1p)
mmdebstrap --quiet --variant=apt --aptopt='Acquire::Check-Valid-Until "false"' --include=gfortran-16=16.2.0-4,libc6-dev unstable "$folder/system" \
    ${mirror:+"$mirror"}
cat >"$folder/system/boxes.f90" <<'PROGRAM'
module items
  implicit none
  logical :: lives(2) = .true.
  integer :: late = 0
  type :: item
    integer :: number = 0
  contains
    procedure, private :: share
    generic :: assignment(=) => share
    final :: drop
  end type
  type :: box
    type(item) :: content
  end type
contains
  impure elemental subroutine share(left, right)
    class(item), intent(inout) :: left
    class(item), intent(in) :: right
    if (right%number > 0) then
      if (.not. lives(right%number)) late = late + 1
    end if
    left%number = right%number
  end subroutine
  impure elemental subroutine drop(one)
    type(item), intent(inout) :: one
    if (one%number > 0) lives(one%number) = .false.
  end subroutine
end module
program boxes
  use items
  type(box), allocatable :: all(:)
  allocate (all(2))
  all(1)%content%number = 1
  all(2)%content%number = 2
  all = [all(2), all(1)]
  print '(i0)', late
end program
PROGRAM
late=$(chroot "$folder/system" bash -euc 'cd / && gfortran-16 -O1 boxes.f90 -o boxes && ./boxes')
echo "items that were assigned after their finaliser had run: $late of 2"
if [ "$late" = 2 ]; then
    echo "as seen"
else
    echo "the behaviour has changed"
    exit 1
fi

C     A FORTRAN 77 PROGRAM WITH THE BLAS'S AND LAPACK'S ARGUMENTS.
      PROGRAM LEGACY
      INTEGER*8 DEVICE, N, K, LD, PIVOTS(3), ONE, LIMIT, DIMS(2), TWO
      DOUBLE PRECISION A(4,3), B(4,3), C(4,3), S(4,3), X(4)
      COMPLEX*16 Z(2,4), W(2,4)
      INTEGER*4 IERR
      INTEGER I, J
      CHARACTER*200 TEXT
      N = 3
      K = 3
      LD = 4
      ONE = 1
      TWO = 2
      LIMIT = 100000
      DEVICE = 0
      CALL HPART_F77_DEVICE_OPEN('host', LIMIT, DEVICE, IERR)
      IF (IERR .NE. 0) GOTO 900
      DO 20 J = 1, 3
        DO 10 I = 1, 4
          A(I,J) = I + J
          B(I,J) = I - J
          C(I,J) = 77
          S(I,J) = 0
   10   CONTINUE
        S(J,J) = 2
   20 CONTINUE
      CALL HPART_F77_DGEMM(DEVICE, 'N', 'T', N, N, K, 1.0D0, A, LD,
     &                     B, LD, 0.0D0, C, LD, IERR)
      IF (IERR .NE. 0) GOTO 900
      IF (C(1,1) .NE. -11 .OR. C(2,3) .NE. 10 .OR. C(4,1) .NE. 77) THEN
        WRITE (*,*) 'DGEMM', C
        STOP 1
      END IF
      DO 30 I = 1, 3
        X(I) = 4*I
   30 CONTINUE
      CALL HPART_F77_DGESV(DEVICE, N, ONE, S, LD, PIVOTS, X, LD, IERR)
      IF (IERR .NE. 0) GOTO 900
      IF (X(1) .NE. 2 .OR. X(3) .NE. 6 .OR. PIVOTS(2) .NE. 2) STOP 2
      DO 50 J = 1, 4
        DO 40 I = 1, 2
          Z(I,J) = 1
   40   CONTINUE
   50 CONTINUE
      DIMS(1) = 2
      DIMS(2) = 4
      CALL HPART_F77_ZFFT(DEVICE, TWO, DIMS, ONE, -1, Z, W, IERR)
      IF (IERR .NE. 0) GOTO 900
      IF (ABS(W(1,1) - 8) .GT. 1D-12 .OR. ABS(W(2,3)) .GT. 1D-12) STOP 3
      CALL HPART_F77_DGEMM(DEVICE, 'Q', 'T', N, N, K, 1.0D0, A, LD,
     &                     B, LD, 0.0D0, C, LD, IERR)
      IF (IERR .NE. -1) STOP 4
      CALL HPART_F77_LAST_ERROR(TEXT)
      IF (INDEX(TEXT, 'TRANSA is ''Q''') .EQ. 0) STOP 5
      CALL HPART_F77_DEVICE_CLOSE(DEVICE)
      IF (DEVICE .NE. 0) STOP 6
      STOP
  900 CALL HPART_F77_LAST_ERROR(TEXT)
      WRITE (*,*) TEXT
      STOP 7
      END

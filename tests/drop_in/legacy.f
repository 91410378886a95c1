C     A PROGRAM OF 1985: A PRODUCT AND A SYSTEM OF EQUATIONS
      PROGRAM LEGACY
      INTEGER N, I, J, INFO
      PARAMETER (N = 200)
      INTEGER IPIV(N)
      DOUBLE PRECISION A(N, N), B(N, N), C(N, N), X(N), S, T
      DO 20 J = 1, N
      DO 10 I = 1, N
        A(I, J) = SIN(DBLE(I + 3 * J * J))
        B(I, J) = COS(DBLE(2 * I - J))
        C(I, J) = 1.0D0
   10 CONTINUE
        X(J) = DBLE(J)
   20 CONTINUE
      CALL DGEMM('N', 'T', N, N, N, 0.5D0, A, N, B, N, 2.0D0, C, N)
      DO 30 I = 1, N
        C(I, I) = C(I, I) + DBLE(N)
   30 CONTINUE
      CALL DGESV(N, 1, C, N, IPIV, X, N, INFO)
      S = 0.0D0
      T = 0.0D0
      DO 40 I = 1, N
        S = S + X(I)
        T = T + X(I) * DBLE(I)
   40 CONTINUE
      WRITE (*, 100) INFO, S, T
  100 FORMAT ('SOLUTION', I3, 2E24.15)
      END

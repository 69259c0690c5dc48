/* The threads of locks.csp. */
#ifndef LEN
#define LEN 1500
#endif
byte m[4];
proctype thread(byte t) {
  short i = 0;
  do
  :: atomic { i < LEN && m[(i * (t + 1)) % 4] == 0 -> m[(i * (t + 1)) % 4] = t + 1 };
     atomic { m[(i * (t + 1)) % 4] = 0; i++ }
  :: atomic { i == LEN -> break }
  od
}
init { atomic { run thread(0); run thread(1) } }

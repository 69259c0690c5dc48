/* The philosophers of philosophers.csp: the same states, one a combination of places. */
#ifndef N
#define N 8
#endif
byte fork[N];

proctype phil(byte i) {
  byte l = i, r = (i + 1) % N;
sit:  atomic { true -> goto left };
left: atomic { fork[l] == 0 -> fork[l] = 1; goto right };
right: atomic { fork[r] == 0 -> fork[r] = 2; goto eat };
eat:  atomic { true -> goto dright };
dright: atomic { fork[r] = 0; goto dleft };
dleft: atomic { fork[l] = 0; goto rise };
rise: atomic { true -> goto sit };
}
init { atomic { byte i = 0; do :: i < N -> run phil(i); i++ :: else -> break od } }

# Figure 7: as Figure 1, but both writes to x write 1, so the maximal causal model predicts the error, too.
var x 4 = 0
var y 4 = 0
sem l = 1
t1 read a x
t1 sem_wait l
t1 write x (add 1 a)
t1 sem_post l
t1 write y (add 1 a)
t1 sem_wait l
t1 write x (add 1 a)
t1 sem_post l
t2 sem_wait l
t2 read c x
t2 assume (sgt c 0)
t2 read d y
t2 assert (eq d 1)
t2 sem_post l

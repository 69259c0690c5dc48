# Figure 11: threads with branches. The assertion fails in some of their paths.
var x 4 = 0
var y 4 = 0
t0 fork t1
t0 fork t2
t1 read a y
t1 if (eq a 0)
t1 write x 1:32
t1 read a2 x
t1 write x (add a2 1)
t1 else
t1 write x 0:32
t1 endif
t2 read b x
t2 if (eq b 0)
t2 write y 1:32
t2 read b2 y
t2 write y (add b2 1)
t2 else
t2 write y 0:32
t2 endif
t0 join t2
t0 join t1
t0 read rx x
t0 read ry y
t0 assert (ne rx ry)

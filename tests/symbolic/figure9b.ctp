# Figure 9 (b): t2 waits until t1 signals, so the region is not broken; the wait is kept without data, too.
var x 4 = 0
var c 1 = 0
t1 begin
t1 write x 1:32
t1 read a x
t1 end
t1 write c 1:8
t2 update o c if (ugt o 0) 0:8
t2 write x 3:32

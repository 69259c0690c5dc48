# Figure 9 (a): the branch of t2 is only taken after t1, so the region is not broken; without data it seems to be.
var x 4 = 0
t1 begin
t1 read a x
t1 write x (add a 1)
t1 end
t2 read b x
t2 assume (ugt b 0)
t2 write x 5:32

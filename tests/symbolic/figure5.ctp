# Figure 5: the violation leads to a branch that was not taken, so it is only found in a prefix.
var x 4 = 0
t1 begin
t1 write x 0:32
t1 read p x
t1 end
t1 assume (eq (add p 1) 1)
t1 write x 2:32
t2 write x 3:32
t2 read b x

---------------------------- MODULE Stripes ----------------------------
(* Several worker ids of one generator (stripes), used by threads at will.  What is promised: a call that begins after
   another returned never gets a lower tick, whichever stripes they used, and a thread's own ids increase.
   The stripes share `high`, the highest tick that any of them issued.  A call reads a stripe's last position, then high,
   then the clock, takes the higher of the two times, and raises high BEFORE it returns an id of a higher tick than the
   high it read.  The clock steps back as it likes; keeper swaps stripe 1 to a lease of another worker id.
   Left out, since HotPath has it: limits, batches, a seal between reading the lease and reading its position.
   A position is tick * Seqs + sequence.  Reads at a call's begin, and the return with the last write before it, are one
   step: that only makes the promise stricter.                                                                      *)
EXTENDS Integers
CONSTANTS Threads, MaxT, Calls, Steps,
  Allowed,     \* how far ahead of the clock ids may be (burst, or on-rollback=continue)
  Raise,       \* "before": as above.  Others: "no"; "later": after the return; "first": only by the call that takes the
               \* first id of a tick on its stripe; "clock": to the clock that was read; "write": without comparing again
  ClockLast,   \* the clock is read after high
  StartAbove,  \* rule 11: a lease begins above what the stripe's lease before it issued
  Apart        \* where a thread changes the stripe it begins a tick above its last id
Seqs == 2
Stripe == {1,2}
Leases == {1,2,3}
Worker(l) == 3-l              \* the later lease has the lower worker id
SEALED == -1
Max(a,b) == IF a > b THEN a ELSE b
VARIABLES now, steps, high, cur, pos, final, sw, pc, s, last, h, w, pending, floor, mine, n, done, back, early, ooo
vars == <<now, steps, high, cur, pos, final, sw, pc, s, last, h, w, pending, floor, mine, n, done, back, early, ooo>>
TickOf(p) == p \div Seqs
Init == /\ now = 1 /\ steps = 0 /\ high = 0 /\ cur = [x \in Stripe |-> x] /\ sw = "run" /\ final = 0
        /\ pos = [l \in Leases |-> IF l = 3 THEN SEALED ELSE Seqs-1]
        /\ pc = [t \in Threads |-> "idle"] /\ s = [t \in Threads |-> 1] /\ n = [t \in Threads |-> 0]
        /\ last = [t \in Threads |-> 0] /\ h = [t \in Threads |-> 0] /\ w = [t \in Threads |-> 0]
        /\ pending = [t \in Threads |-> 0] /\ floor = [t \in Threads |-> 0] /\ mine = [t \in Threads |-> <<0,0,0>>]
        /\ done = 0 /\ back = FALSE /\ early = FALSE /\ ooo = FALSE
\* the clock
Tick == now < MaxT /\ now' = now+1
        /\ UNCHANGED <<steps, high, cur, pos, final, sw, pc, s, last, h, w, pending, floor, mine, n, done, back, early, ooo>>
StepBack(x) == x < now /\ steps < Steps /\ steps' = steps+1 /\ now' = x
        /\ UNCHANGED <<high, cur, pos, final, sw, pc, s, last, h, w, pending, floor, mine, n, done, back, early, ooo>>
\* a call
Read(t,x) == /\ pos[cur[x]] # SEALED
             /\ s' = [s EXCEPT ![t] = cur[x]] /\ last' = [last EXCEPT ![t] = pos[cur[x]]]
             /\ pc' = [pc EXCEPT ![t] = IF ClockLast THEN "high" ELSE "clock"]
Call(t,x) == /\ pc[t] = "idle" /\ n[t] < Calls /\ n' = [n EXCEPT ![t] = @+1]
             /\ floor' = [floor EXCEPT ![t] = done] /\ Read(t,x)
             /\ UNCHANGED <<now, steps, high, cur, pos, final, sw, h, w, pending, mine, done, back, early, ooo>>
Again(t,x) == /\ pc[t] = "again" /\ Read(t,x)
             /\ UNCHANGED <<now, steps, high, cur, pos, final, sw, h, w, pending, floor, mine, n, done, back, early, ooo>>
ReadHigh(t) == /\ pc[t] = "high" /\ h' = [h EXCEPT ![t] = high] /\ pc' = [pc EXCEPT ![t] = IF ClockLast THEN "clock" ELSE "take"]
             /\ UNCHANGED <<now, steps, high, cur, pos, final, sw, s, last, w, pending, floor, mine, n, done, back, early, ooo>>
ReadClock(t) == /\ pc[t] = "clock" /\ w' = [w EXCEPT ![t] = now] /\ pc' = [pc EXCEPT ![t] = IF ClockLast THEN "take" ELSE "high"]
             /\ UNCHANGED <<now, steps, high, cur, pos, final, sw, s, last, h, pending, floor, mine, n, done, back, early, ooo>>
Changed(t) == mine[t][1] # 0 /\ mine[t][1] # s[t] /\ Apart /\ ~(mine[t][1] = 1 /\ s[t] = 3)
Next1(t) == Max(Max(last[t]+1, Max(w[t], h[t]) * Seqs), IF Changed(t) THEN (mine[t][2]+1) * Seqs ELSE 0)
\* what a call read means nothing after it
Forget(t) == /\ last' = [last EXCEPT ![t] = 0] /\ h' = [h EXCEPT ![t] = 0] /\ w' = [w EXCEPT ![t] = 0] /\ pending' = [pending EXCEPT ![t] = 0]
Take(t) ==
  /\ pc[t] = "take"
  /\ LET nx == Next1(t)
         tick == TickOf(nx)
         ahead == tick - w[t]
         up == CASE Raise = "before" -> tick > h[t] [] Raise = "write" -> tick > h[t] [] Raise = "later" -> tick > h[t]
               [] Raise = "first" -> tick > TickOf(last[t]) [] Raise = "clock" -> w[t] > h[t] [] Raise = "no" -> FALSE IN
     IF ahead > Allowed       \* waits for the clock; ends here
     THEN pc' = [pc EXCEPT ![t] = "idle"] /\ back' = (back \/ ahead > Allowed+1) /\ Forget(t) /\ UNCHANGED pos
     ELSE IF pos[s[t]] # last[t] THEN pc' = [pc EXCEPT ![t] = "again"] /\ Forget(t) /\ UNCHANGED <<pos, back>>
     ELSE /\ pos' = [pos EXCEPT ![s[t]] = nx] /\ pending' = [pending EXCEPT ![t] = nx]
          /\ pc' = [pc EXCEPT ![t] = IF up THEN "raise" ELSE "return"] /\ UNCHANGED <<last, h, w, back>>
  /\ UNCHANGED <<now, steps, high, cur, final, sw, s, floor, mine, n, done, early, ooo>>
Target(t) == IF Raise = "clock" THEN w[t] ELSE TickOf(pending[t])
Raised(t) == IF Raise = "write" THEN Target(t) ELSE Max(high, Target(t))
Less(a,b) == a[2] < b[2] \/ (a[2] = b[2] /\ (Worker(a[1]) < Worker(b[1]) \/ (a[1] = b[1] /\ a[3] < b[3])))
Return(t) ==
  /\ \/ pc[t] = "return" /\ UNCHANGED high
     \/ pc[t] = "raise" /\ high' = IF Raise = "later" THEN high ELSE Raised(t)
  /\ LET id == <<s[t], TickOf(pending[t]), pending[t] % Seqs>> IN
     /\ early' = (early \/ id[2] < floor[t])
     /\ ooo' = (ooo \/ (mine[t][1] # 0 /\ ~Less(mine[t], id)))
     /\ done' = Max(done, id[2]) /\ mine' = [mine EXCEPT ![t] = id]
  /\ pc' = [pc EXCEPT ![t] = IF pc[t] = "raise" /\ Raise = "later" THEN "later" ELSE "idle"]
  /\ IF pc'[t] = "idle" THEN Forget(t) ELSE UNCHANGED <<last, h, w, pending>>
  /\ UNCHANGED <<now, steps, cur, pos, final, sw, s, floor, n, back>>
Later(t) == /\ pc[t] = "later" /\ high' = Raised(t) /\ pc' = [pc EXCEPT ![t] = "idle"]
            /\ UNCHANGED <<now, steps, cur, pos, final, sw, s, last, h, w, pending, floor, mine, n, done, back, early, ooo>>
\* the keeper swaps stripe 1
Seal == /\ sw = "run" /\ sw' = "sealed" /\ final' = pos[1] /\ pos' = [pos EXCEPT ![1] = SEALED]
        /\ UNCHANGED <<now, steps, high, cur, pc, s, last, h, w, pending, floor, mine, n, done, back, early, ooo>>
Publish == /\ sw = "sealed" /\ sw' = "swapped" /\ cur' = [cur EXCEPT ![1] = 3]
           /\ pos' = [pos EXCEPT ![3] = IF StartAbove THEN (TickOf(final)+1) * Seqs - 1 ELSE Seqs-1]
           /\ UNCHANGED <<now, steps, high, final, pc, s, last, h, w, pending, floor, mine, n, done, back, early, ooo>>
Next == \/ Tick \/ (\E x \in 0..MaxT : StepBack(x)) \/ Seal \/ Publish
        \/ \E t \in Threads : ReadHigh(t) \/ ReadClock(t) \/ Take(t) \/ Return(t) \/ Later(t) \/ \E x \in Stripe : Call(t,x) \/ Again(t,x)
Spec == Init /\ [][Next]_vars
\* a call that begins after another returned never gets a lower tick
Ordered == ~early
\* each thread's ids increase, as numbers
OwnOrder == ~ooo
\* no thread sees a clock that stepped back unless it did
NoFalseStep == steps = 0 => ~back
=======================================================================

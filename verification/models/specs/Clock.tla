---------------------------- MODULE Clock ----------------------------
(* What an unbelieved clock must not do: raise a mark far ahead, which would reserve a worker id into the future.
   Nothing of this is needed for unique ids.  t is the true time, read from the coordinator; the wall clock may stand
   still, run on, or jump to any of the values; the monotonic clock runs with t.  A keeper vets, then writes: the time it
   uses is the wall clock plus a correction (VettedClock).  Issuing takes any tick below the limit.               *)
EXTENDS Integers, FiniteSets
CONSTANTS MaxT, Far, W, Allowed, Slots,
  Vet,        \* the clock is vetted at all
  OneTime,    \* the time written is the one that was vetted; FALSE: the clock is read again for it
  Horizon,    \* rule 18: nothing begins more than a window ahead of the vetted time
  FirstWrong  \* at its start, without any reference, the process believed a clock that was wrong
VARIABLES t, wall, vetted, corr, anchor, anchorT, mark, cur, high, spread
vars == <<t, wall, vetted, corr, anchor, anchorT, mark, cur, high, spread>>
Max(a,b) == IF a > b THEN a ELSE b
None == 0
Start == IF FirstWrong THEN Far ELSE 0
Init == /\ t = 0 /\ wall = Start /\ vetted = FALSE /\ corr = 0 /\ anchor = Start /\ anchorT = 0
        /\ mark = [s \in Slots |-> 0] /\ cur = None /\ high = -1 /\ spread = FALSE
\* time passes; a steady wall clock goes with it
Tick == t < MaxT /\ t' = t+1 /\ wall' = wall+1 /\ UNCHANGED <<vetted, corr, anchor, anchorT, mark, cur, high, spread>>
Jump == /\ \E x \in {t, Far} : wall' = x /\ wall # x
        /\ UNCHANGED <<t, vetted, corr, anchor, anchorT, mark, cur, high, spread>>
Expected == anchor + (t - anchorT)
\* steady: believed further.  Else the true time confirms it, or time runs on from before the jump.
DoVet == /\ ~vetted /\ vetted' = TRUE
         /\ IF ~Vet \/ wall = Expected \/ wall = t
            THEN corr' = 0 /\ anchor' = wall /\ anchorT' = t
            ELSE corr' = Expected - wall /\ UNCHANGED <<anchor, anchorT>>
         /\ UNCHANGED <<t, wall, mark, cur, high, spread>>
\* between vetting and writing lies a read of the slots, and as much time and as many jumps as you like
Now == IF OneTime /\ Vet THEN Expected ELSE wall + corr
Ok(lo) == Horizon => lo <= Now + W + Allowed
Claim(s) == /\ vetted /\ cur # s
            /\ LET lo == Max(Max(Now, mark[s]), high+1) IN
               /\ Ok(lo) /\ mark' = [mark EXCEPT ![s] = lo + W]
               /\ spread' = (spread \/ (anchor = anchorT /\ lo > t + W + Allowed))
            /\ cur' = s /\ vetted' = FALSE /\ UNCHANGED <<t, wall, corr, anchor, anchorT, high>>
Extend == /\ vetted /\ cur # None /\ Ok(mark[cur]) /\ Now + W > mark[cur]
          /\ mark' = [mark EXCEPT ![cur] = Now + W]
          /\ vetted' = FALSE /\ UNCHANGED <<t, wall, corr, anchor, anchorT, cur, high, spread>>
Lazy == vetted /\ vetted' = FALSE /\ UNCHANGED <<t, wall, corr, anchor, anchorT, mark, cur, high, spread>>
Issue == /\ cur # None /\ \E x \in {high+1, t, mark[cur]-1} : x > high /\ x < mark[cur] /\ high' = x
         /\ UNCHANGED <<t, wall, vetted, corr, anchor, anchorT, mark, cur, spread>>
Next == Tick \/ Jump \/ DoVet \/ Lazy \/ Extend \/ Issue \/ \E s \in Slots : Claim(s)
Spec == Init /\ [][Next]_vars
\* a mark ends at most a window above something that began at most a window ahead
NotPoisoned == \A s \in Slots : mark[s] <= t + 2*W + Allowed
\* a process that was given a wrong clock at its start spoils no other worker id once the time in use is right
NotSpread == ~spread
=======================================================================

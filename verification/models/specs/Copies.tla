---------------------------- MODULE Copies ----------------------------
(* A memory image is restored twice (A2): A and B both hold the same lease, and perhaps the same one reserved ahead.
   What LeaseKeeper.leaveCopyBehind does about it.  C is an innocent third process.  Clocks are arbitrary, coordinator
   calls atomic (lateness is in Marks).  Duplicates inside the window that was shared when the image was taken can't be
   prevented; everything else must be.                                                                              *)
EXTENDS Integers, FiniteSets
CONSTANTS MaxT, MaxWrites,
  Next0,      \* a second lease was reserved ahead when the image was taken
  NextFate,   \* what the copies do with it: "keep" (use it, give it back), "drop" (neither use it nor give it back)
  Fresh,      \* the first write after a jump carries fresh random bytes; FALSE: both may write the same bytes
  Mark1st,    \* the winner is marked as copied whatever its clock says
  NoTrim      \* a copied lease is given back without lowering its mark
Copy == {"A","B"}
Procs == Copy \cup {"C"}
Slots == {1,2}
Shared == 2                     \* the image holds ticks below 2 of slot 1 (issued none), and below 2 of slot 2 if Next0
None == [s |-> 0, nxt |-> 0, lim |-> 0, ver |-> 0, floor |-> 0, any |-> FALSE]
Held(s) == [s |-> s, nxt |-> 0, lim |-> Shared, ver |-> s, floor |-> 0, any |-> FALSE]
VARIABLES mark, cur, nxt, st, issued, hit, w
vars == <<mark, cur, nxt, st, issued, hit, w>>
(* st: "jumped" (the write with fresh bytes is due), "won", "lost" (sealed, ending), "run" (C), "end" *)
Init == /\ mark = [s \in Slots |-> [hw |-> IF s = 1 \/ Next0 THEN Shared ELSE 0, ver |-> s]]
        /\ cur = [p \in Procs |-> IF p \in Copy THEN Held(1) ELSE None]
        /\ nxt = [p \in Procs |-> IF p \in Copy /\ Next0 THEN Held(2) ELSE None]
        /\ st = [p \in Procs |-> IF p \in Copy THEN "jumped" ELSE "run"]
        /\ issued = {} /\ hit = FALSE /\ w = 2
Sealed(p) == st[p] \in {"lost","end"}
\* hit: a duplicate that involves C, or lies outside what was shared
Issue(p,t) ==
  /\ ~Sealed(p) /\ cur[p].s # 0 /\ t >= cur[p].nxt /\ t < cur[p].lim
  /\ hit' = (hit \/ \E i \in issued : i[1] = cur[p].s /\ i[2] = t /\ (p = "C" \/ i[3] = "C" \/ i[1] # 1 \/ t >= Shared))
  /\ issued' = issued \cup {<<cur[p].s, t, p>>}
  /\ cur' = [cur EXCEPT ![p].nxt = t+1, ![p].any = TRUE]
  /\ UNCHANGED <<mark, nxt, st, w>>
Put(s,hw,v) == mark' = [mark EXCEPT ![s] = [hw |-> hw, ver |-> v]]
\* the write after the jump: clk is what the clock says, compared with the shared limit as leaveCopyBehind does
Extend1st(p,hw,clk) ==
  /\ st[p] = "jumped" /\ hw > cur[p].lim /\ w < MaxWrites
  /\ IF mark[1].ver = cur[p].ver
     THEN LET v == IF Fresh THEN w+1 ELSE 100+hw IN
          /\ Put(1, hw, v) /\ w' = w+1
          /\ cur' = [cur EXCEPT ![p].lim = hw, ![p].ver = v]
          /\ st' = [st EXCEPT ![p] = IF clk < Shared \/ Mark1st THEN "won" ELSE "unmarked"]
     ELSE IF ~Fresh /\ mark[1] = [hw |-> hw, ver |-> 100+hw]   \* rejected by what it takes for its own bytes
     THEN cur' = [cur EXCEPT ![p].lim = hw, ![p].ver = 100+hw] /\ st' = [st EXCEPT ![p] = "won"] /\ UNCHANGED <<mark, w>>
     ELSE st' = [st EXCEPT ![p] = "lost"] /\ UNCHANGED <<mark, cur, w>>
  /\ nxt' = IF NextFate = "drop" THEN [nxt EXCEPT ![p] = None] ELSE nxt
  /\ UNCHANGED <<issued, hit>>
\* no other worker id: on from the shared limit
SkipTo(p) == /\ st[p] \in {"won","unmarked"} /\ cur[p].nxt < Shared /\ cur[p].s = 1 /\ cur' = [cur EXCEPT ![p].nxt = Shared]
             /\ UNCHANGED <<mark, nxt, st, issued, hit, w>>
\* the lease reserved ahead takes over; the other is given back
Swap(p) == /\ st[p] \in {"won","unmarked"} /\ nxt[p].s # 0
           /\ cur' = [cur EXCEPT ![p] = nxt[p]] /\ nxt' = [nxt EXCEPT ![p] = None]
           /\ UNCHANGED <<mark, st, issued, hit, w>>
Freed(c, copied) == IF copied /\ NoTrim THEN c.lim ELSE IF c.any THEN c.nxt ELSE c.floor
Release(c, copied) == IF c.s # 0 /\ mark[c.s].ver = c.ver THEN Put(c.s, Freed(c, copied), w+1) /\ w' = w+1 ELSE UNCHANGED <<mark, w>>
\* the loser ends: its present lease is left alone, the one reserved ahead is given back (or left alone)
EndLost(p) == /\ st[p] = "lost" /\ w < MaxWrites /\ Release(nxt[p], FALSE)
              /\ st' = [st EXCEPT ![p] = "end"] /\ nxt' = [nxt EXCEPT ![p] = None]
              /\ UNCHANGED <<cur, issued, hit>>
Close(p) == /\ st[p] \in {"won","unmarked","run"} /\ cur[p].s # 0 /\ w < MaxWrites
            /\ Release(cur[p], st[p] = "won" /\ cur[p].s = 1)
            /\ st' = [st EXCEPT ![p] = "end"] /\ UNCHANGED <<cur, nxt, issued, hit>>
Claim(p,s,lo) == /\ st[p] = "run" /\ cur[p].s = 0 /\ w < MaxWrites /\ lo >= mark[s].hw /\ lo < MaxT
                 /\ Put(s, lo+1, w+1) /\ w' = w+1
                 /\ cur' = [cur EXCEPT ![p] = [s |-> s, nxt |-> lo, lim |-> lo+1, ver |-> w+1, floor |-> mark[s].hw, any |-> FALSE]]
                 /\ UNCHANGED <<nxt, st, issued, hit>>
Next == \E p \in Procs : \/ \E t \in 0..MaxT : Issue(p,t)
                         \/ SkipTo(p) \/ Swap(p) \/ EndLost(p) \/ Close(p)
                         \/ \E s \in Slots, t \in 0..MaxT : Claim(p,s,t)
                         \/ p \in Copy /\ \E hw, clk \in 0..MaxT : Extend1st(p,hw,clk)
Spec == Init /\ [][Next]_vars
\* no other process is hit, and nothing granted later
OnlyShared == ~hit
=======================================================================

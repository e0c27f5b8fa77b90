---------------------------- MODULE TwoLeases ----------------------------
(* What LeaseKeeper does with two leases at once: the present one, and the next, reserved ahead, which takes over.
   Whatever the reason (taken over, evicted, owner entry not to be had again, a copy left behind), the next may be
   claimed at any time, also on the slot that was lost.  Evict: a claim may be for any slot, whatever its owner
   entry; the owner only says when to look elsewhere.  An answer of the coordinator may be lost: the mark is written and
   the process does not know, until it sends the same bytes again.  Calls are atomic here (late ones are in Marks), one
   at a time per process, while issuing goes on.  Clocks are arbitrary.                                              *)
EXTENDS Integers, FiniteSets, TLC
CONSTANTS Procs, Slots, MaxT, MaxWrites, MaxLost,
  SealFirst,    \* a swap seals the old lease before it reads its last tick
  StartAbove,   \* the next lease begins above everything this generator issued
  OwnLast,      \* a release computes the limit from the lease's own last tick; FALSE: from the generator's
  Settle,       \* a write of unknown outcome is settled before the release; FALSE: its bytes are forgotten
  TakenKept     \* a lease taken over is left alone at the end; FALSE: its slot is freed as if it were still ours
VARIABLES mark, ps, high, w, lostAnswers, issued, dup, ooo
vars == <<mark, ps, high, w, lostAnswers, issued, dup, ooo>>
Sym == Permutations(Procs)
Max(a,b) == IF a > b THEN a ELSE b
None == [s |-> 0, nxt |-> 0, lim |-> 0, ver |-> 0, floor |-> 0, any |-> FALSE, taken |-> FALSE, pend |-> 0, phw |-> 0]
Idle == [cur |-> None, nxt |-> None, old |-> None, sealed |-> FALSE]
Init == /\ mark = [s \in Slots |-> [hw |-> 0, ver |-> 0, from |-> 0]]
        /\ ps = [p \in Procs |-> Idle] /\ high = [p \in Procs |-> -1]
        /\ w = 0 /\ lostAnswers = 0 /\ issued = {} /\ dup = FALSE /\ ooo = FALSE
Put(s, hw, from) == w < MaxWrites /\ w' = w+1 /\ mark' = [mark EXCEPT ![s] = [hw |-> hw, ver |-> w+1, from |-> from]]
\* not the slot that is in use, unless it was taken over
Claim(p,s,lo) ==
  /\ ps[p].nxt.s = 0 /\ ps[p].old.s = 0 /\ ~ps[p].sealed /\ (ps[p].cur.s = s => ps[p].cur.taken)
  /\ lo >= mark[s].hw /\ lo > high[p] /\ lo < MaxT
  /\ Put(s, lo+1, lo)
  /\ ps' = [ps EXCEPT ![p].nxt = [None EXCEPT !.s = s, !.nxt = lo, !.lim = lo+1, !.ver = w+1, !.floor = mark[s].hw]]
  /\ UNCHANGED <<high, lostAnswers, issued, dup, ooo>>
\* extend or re-own: which is a matter of the owner entry only
After(c, hw) ==   \* the claim, once an answer has come
  LET m == mark[c.s] IN
  IF c.pend # 0 /\ m.ver = c.pend THEN [c EXCEPT !.lim = c.phw, !.ver = c.pend, !.pend = 0]
  ELSE IF m.ver = c.ver THEN [c EXCEPT !.lim = hw, !.ver = w+1, !.pend = 0]
  ELSE [c EXCEPT !.taken = TRUE, !.pend = 0]
Extend(p,f,hw,heard) ==
  LET c == ps[p][f] IN
  /\ c.s # 0 /\ ~c.taken /\ hw > c.lim /\ hw <= MaxT
  /\ (c.pend # 0 => hw = c.phw)
  /\ IF mark[c.s].ver = c.ver THEN Put(c.s, hw, mark[c.s].from) ELSE UNCHANGED <<mark, w>>
  /\ IF heard THEN ps' = [ps EXCEPT ![p][f] = After(c, hw)] /\ UNCHANGED lostAnswers
     ELSE /\ lostAnswers < MaxLost /\ lostAnswers' = lostAnswers+1 /\ mark[c.s].ver = c.ver
          /\ ps' = [ps EXCEPT ![p][f].pend = w+1, ![p][f].phw = hw]
  /\ UNCHANGED <<high, issued, dup, ooo>>
\* swap: seal, read the last tick; publish; give the old one back
Seal(p) == /\ ps[p].nxt.s # 0 /\ ~ps[p].sealed /\ ps[p].old.s = 0
           /\ ps' = [ps EXCEPT ![p].sealed = TRUE, ![p].old = ps[p].cur, ![p].cur = IF SealFirst THEN None ELSE @]
           /\ UNCHANGED <<mark, high, w, lostAnswers, issued, dup, ooo>>
Publish(p) ==
  /\ ps[p].sealed
  /\ LET n == ps[p].nxt IN
     ps' = [ps EXCEPT ![p].cur = [n EXCEPT !.nxt = IF StartAbove THEN Max(n.nxt, high[p]+1) ELSE n.nxt],
                      ![p].nxt = None, ![p].sealed = FALSE,
                      ![p].old = IF ps[p].old.s = n.s THEN None ELSE @]
  /\ UNCHANGED <<mark, high, w, lostAnswers, issued, dup, ooo>>
Freed(p,c) == IF c.any THEN (IF OwnLast THEN c.nxt ELSE high[p]+1) ELSE IF OwnLast THEN c.floor ELSE Max(0, high[p]+1)
Give(p,c) == \/ c.taken /\ TakenKept /\ UNCHANGED <<mark, w>>
             \/ ~(c.taken /\ TakenKept)
                /\ IF mark[c.s].ver = c.ver \/ (c.taken /\ ~TakenKept) \/ (c.pend # 0 /\ mark[c.s].ver = c.pend /\ ~Settle)
                   THEN Put(c.s, Freed(p,c), mark[c.s].from) ELSE UNCHANGED <<mark, w>>
ReleaseOld(p) == /\ ps[p].old.s # 0 /\ ~ps[p].sealed /\ (Settle => ps[p].old.pend = 0) /\ Give(p, ps[p].old)
                 /\ ps' = [ps EXCEPT ![p].old = None] /\ UNCHANGED <<high, lostAnswers, issued, dup, ooo>>
\* the outcome is asked for, and nothing is released if it can't be had
Forget(p) == /\ ps[p].old.s # 0 /\ ~ps[p].sealed /\ ps' = [ps EXCEPT ![p].old = None]
             /\ UNCHANGED <<mark, high, w, lostAnswers, issued, dup, ooo>>
\* the next is given up, never used
DropNext(p) == /\ ps[p].nxt.s # 0 /\ ~ps[p].sealed /\ ps[p].nxt.pend = 0 /\ Give(p, ps[p].nxt)
               /\ ps' = [ps EXCEPT ![p].nxt = None] /\ UNCHANGED <<high, lostAnswers, issued, dup, ooo>>
\* close and start again, or kill -9 and start again
Close(p) == /\ ps[p].cur.s # 0 /\ ps[p].nxt.s = 0 /\ ps[p].old.s = 0 /\ ~ps[p].sealed /\ ps[p].cur.pend = 0
            /\ Give(p, ps[p].cur)
            /\ ps' = [ps EXCEPT ![p] = Idle] /\ high' = [high EXCEPT ![p] = -1] /\ UNCHANGED <<lostAnswers, issued, dup, ooo>>
Kill(p) == /\ ps[p] # Idle /\ ps' = [ps EXCEPT ![p] = Idle] /\ high' = [high EXCEPT ![p] = -1]
           /\ UNCHANGED <<mark, w, lostAnswers, issued, dup, ooo>>
Issue(p,t) ==
  LET c == ps[p].cur IN
  /\ c.s # 0 /\ t >= c.nxt /\ t < c.lim
  /\ dup' = (dup \/ <<c.s,t>> \in issued) /\ ooo' = (ooo \/ t <= high[p])
  /\ issued' = issued \cup {<<c.s,t>>} /\ high' = [high EXCEPT ![p] = Max(@, t)]
  /\ ps' = [ps EXCEPT ![p].cur.nxt = t+1, ![p].cur.any = TRUE]
  /\ UNCHANGED <<mark, w, lostAnswers>>
Next == \E p \in Procs :
  \/ Seal(p) \/ Publish(p) \/ ReleaseOld(p) \/ Forget(p) \/ DropNext(p) \/ Close(p) \/ Kill(p)
  \/ \E t \in 0..MaxT : Issue(p,t) \/ (\E s \in Slots : Claim(p,s,t))
                        \/ \E f \in {"cur","nxt","old"}, heard \in BOOLEAN : Extend(p,f,t,heard)
Spec == Init /\ [][Next]_vars
NoDup == ~dup
Ordered == ~ooo
Leases(p) == {c \in {ps[p].cur, ps[p].nxt} : c.s # 0}
Below == \A p \in Procs : \A c \in Leases(p) : c.lim <= mark[c.s].hw
\* rule 17 never sounds without a cause
NoFalseAlarm == \A p \in Procs : \A c \in Leases(p) :
   mark[c.s].ver \notin {c.ver, c.pend} => mark[c.s].from >= c.lim /\ mark[c.s].hw >= c.lim
=======================================================================

---------------------------- MODULE Regressed ----------------------------
(* Rule 17.  An operator deletes a mark, or the coordinator is restored to an older state of it (A1, A3).  The old holder
   can't know before its next call; until then ids may be issued twice.  What the rule buys: after that call it has
   stopped, unless its grant is its own again.  One slot; coordinator calls are atomic; clocks are arbitrary.      *)
EXTENDS Integers, FiniteSets
CONSTANTS Procs, MaxT, MaxWrites, Rule17
VARIABLES mark, owner, hist, ps, damage, w, issued, dup
vars == <<mark, owner, hist, ps, damage, w, issued, dup>>
Absent == [hw |-> 0, ver |-> 0, from |-> 0]
Idle == [pc |-> "idle", nxt |-> 0, lim |-> 0, ver |-> 0, asked |-> FALSE]
Init == /\ mark = Absent /\ owner = 0 /\ hist = {Absent} /\ ps = [p \in Procs |-> Idle]
        /\ damage = FALSE /\ w = 0 /\ issued = {} /\ dup = FALSE
Put(hw, from) == /\ w < MaxWrites /\ w' = w+1
                 /\ mark' = [hw |-> hw, ver |-> w+1, from |-> from] /\ hist' = hist \cup {mark'}
Claim(p,lo,hw) ==
  /\ ps[p].pc = "idle" /\ owner = 0 /\ lo >= mark.hw /\ hw > lo /\ hw <= MaxT
  /\ Put(hw, lo) /\ owner' = w+1
  /\ ps' = [ps EXCEPT ![p] = [pc |-> "hold", nxt |-> lo, lim |-> hw, ver |-> w+1, asked |-> damage]]
  /\ UNCHANGED <<damage, issued, dup>>
Extend(p,hw) ==
  /\ ps[p].pc = "hold" /\ hw > ps[p].lim /\ hw <= MaxT
  /\ IF mark.ver = ps[p].ver
     THEN /\ Put(hw, mark.from)
          /\ ps' = [ps EXCEPT ![p].lim = hw, ![p].ver = w+1, ![p].asked = damage]
     ELSE /\ LET lawful == mark.ver # 0 /\ mark.from >= ps[p].lim /\ mark.hw >= ps[p].lim IN
             ps' = [ps EXCEPT ![p].pc = IF lawful \/ ~Rule17 THEN "lost" ELSE "stopped", ![p].asked = damage]
          /\ UNCHANGED <<mark, hist, w>>
  /\ UNCHANGED <<owner, damage, issued, dup>>
\* lost lawfully: on to the limit.  stopped: sealed.
Issue(p,x) == /\ ps[p].pc \in {"hold","lost"} /\ x >= ps[p].nxt /\ x < ps[p].lim
              /\ dup' = (dup \/ x \in issued) /\ issued' = issued \cup {x}
              /\ ps' = [ps EXCEPT ![p].nxt = x+1] /\ UNCHANGED <<mark, owner, hist, damage, w>>
Expire == owner # 0 /\ owner' = 0 /\ UNCHANGED <<mark, hist, ps, damage, w, issued, dup>>
Damage(old) == /\ ~damage /\ damage' = TRUE /\ old # mark /\ mark' = old
               /\ UNCHANGED <<owner, hist, ps, w, issued, dup>>
Next == \/ Expire \/ (\E old \in hist : Damage(old))
        \/ \E p \in Procs, x \in 0..MaxT : Extend(p,x) \/ Issue(p,x) \/ \E y \in 0..MaxT : Claim(p,x,y)
Spec == Init /\ [][Next]_vars
NoDup == ~dup
Live(p) == ps[p].pc \in {"hold","lost"} /\ ps[p].nxt < ps[p].lim
\* once every process that can still issue has made a call since the damage, no two of them can issue the same tick
DisjointAgain == (\A p \in Procs : Live(p) => ps[p].asked) =>
   \A p, q \in Procs : (p # q /\ Live(p) /\ Live(q)) => (ps[p].lim <= ps[q].nxt \/ ps[q].lim <= ps[p].nxt)
=======================================================================

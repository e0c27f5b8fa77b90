---------------------------- MODULE Witness ----------------------------
(* Rule 22: where the coordinator has no clock to show, the marks of live holders are witnesses for the clock: each carries
   what its writer's wall clock said.  A slot of this very process is none.  Worker ids 1 and 2 are stripes of one process,
   each with a keeper; 3 belongs to another process, whose clock is right and which writes when it likes.  As in Clock: t is
   the true time, the wall clock of the process jumps as it likes, and time runs on from before a jump until a witness who
   has written since agrees.  Left out: slots without holders, belief for want of any witness, rule 18.             *)
EXTENDS Integers, FiniteSets
CONSTANTS MaxT, Far, W,
  Own   \* the slots that are no witness to keeper k: "process": all of this process; "slot": its own only
Stripe == {1,2}
Slot == {1,2,3}
VARIABLES t, wall, at, mark, anchor, doubt, since, vetted
vars == <<t, wall, at, mark, anchor, doubt, since, vetted>>
Max(a,b) == IF a > b THEN a ELSE b
Init == /\ t = 0 /\ wall = 0 /\ at = [s \in Slot |-> 0] /\ mark = [k \in Stripe |-> W]
        /\ anchor = [k \in Stripe |-> 0] /\ doubt = [k \in Stripe |-> FALSE] /\ since = [k \in Stripe |-> {}]
        /\ vetted = [k \in Stripe |-> FALSE]
\* anchor: what the believed clock is ahead of the monotonic one
Now(k) == t + anchor[k]
Tick == t < MaxT /\ t' = t+1 /\ wall' = wall+1 /\ UNCHANGED <<at, mark, anchor, doubt, since, vetted>>
Jump == \E x \in {t, Far} : x # wall /\ wall' = x /\ UNCHANGED <<t, at, mark, anchor, doubt, since, vetted>>
\* who wrote: a witness to every keeper who doubts
Wrote(s, clock) == /\ at' = [at EXCEPT ![s] = clock]
                   /\ since' = [k \in Stripe |-> IF doubt[k] THEN since[k] \cup {s} ELSE {}]
Peer == Wrote(3, t) /\ UNCHANGED <<t, wall, mark, anchor, doubt, vetted>>
Witnesses(k) == since[k] \ (IF Own = "process" THEN Stripe ELSE {k})
Median(S) == at[CHOOSE s \in S : Cardinality({r \in S : at[r] < at[s] \/ (at[r] = at[s] /\ r < s)}) = Cardinality(S) \div 2]
\* a witness's clock is as old as its write
Agrees(k) == Witnesses(k) # {} /\ Median(Witnesses(k)) <= wall /\ Median(Witnesses(k)) >= wall - MaxT
Vet(k) ==
  /\ ~vetted[k] /\ vetted' = [vetted EXCEPT ![k] = TRUE]
  /\ IF (~doubt[k] /\ wall = Now(k)) \/ (doubt[k] /\ Agrees(k))
     THEN /\ anchor' = [anchor EXCEPT ![k] = wall - t] /\ doubt' = [doubt EXCEPT ![k] = FALSE] /\ since' = [since EXCEPT ![k] = {}]
     ELSE /\ doubt' = [doubt EXCEPT ![k] = TRUE] /\ UNCHANGED <<anchor, since>>
  /\ UNCHANGED <<t, wall, at, mark>>
Extend(k) == /\ vetted[k] /\ vetted' = [vetted EXCEPT ![k] = FALSE]
             /\ mark' = [mark EXCEPT ![k] = Max(@, Now(k) + W)] /\ Wrote(k, wall)
             /\ UNCHANGED <<t, wall, anchor, doubt>>
Next == Tick \/ Jump \/ Peer \/ \E k \in Stripe : Vet(k) \/ Extend(k)
Spec == Init /\ [][Next]_vars
NotPoisoned == \A k \in Stripe : mark[k] <= t + W
=======================================================================

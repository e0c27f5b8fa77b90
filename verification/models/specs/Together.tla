---------------------------- MODULE Together ----------------------------
(* Several marks of one process extended by one transaction, all or nothing (the stripes of a generator).  A holds slots 1
   and 2 and extends any of them together; B takes a slot over whenever it likes, above its limit.  Whatever was sent may
   be applied at any later time, again, or never, and no answer arrives: A reads marks, one at a time.  For each it adopts
   exactly the bytes it sent; what is neither these nor the old is a takeover.  Old bytes mean "not yet", and the
   same transaction is sent again, unless another of its marks was seen taken over BEFORE: then it can't be applied any more.
   Bytes are numbered, since no two writes have the same.                                                             *)
EXTENDS Integers
CONSTANTS MaxT, MaxW,
  Atomic,  \* the coordinator applies all of a transaction or nothing; FALSE: each of its writes by itself
  Adopt,   \* "each": a mark that shows my bytes is granted.  "all": all of the transaction if one of its marks shows them
  Dead     \* what was read as old is given up: "after" a takeover was seen; "stale": also if it was read before; "never"
Slots == {1,2}
VARIABLES mark, sent, lim, nxt, known, taken, pend, old, b, w, issued, dup, alarm
vars == <<mark, sent, lim, nxt, known, taken, pend, old, b, w, issued, dup, alarm>>
None == [n |-> 0, all |-> {}, open |-> {}, gone |-> FALSE]
Init == /\ mark = [s \in Slots |-> [hw |-> 1, ver |-> 1, from |-> 0]] /\ sent = {}
        /\ lim = [s \in Slots |-> 1] /\ nxt = [s \in Slots |-> 0] /\ known = [s \in Slots |-> 1] /\ taken = {}
        /\ pend = None /\ old = {} /\ b = [s \in Slots |-> {}] /\ w = 1
        /\ issued = [s \in Slots |-> {}] /\ dup = FALSE /\ alarm = FALSE
Send(S) == /\ pend = None /\ w < MaxW /\ w' = w+1 /\ \A s \in S : lim[s] < MaxT
           /\ sent' = sent \cup {[n |-> w+1, s |-> S, exp |-> known, lim |-> lim]}
           /\ pend' = [n |-> w+1, all |-> S, open |-> S, gone |-> FALSE] /\ old' = {}
           /\ UNCHANGED <<mark, lim, nxt, known, taken, b, issued, dup, alarm>>
Put(r, S) == mark' = [s \in Slots |-> IF s \in S THEN [hw |-> r.lim[s]+1, ver |-> r.n, from |-> mark[s].from] ELSE mark[s]]
Apply(r) == /\ \A s \in r.s : mark[s].ver = r.exp[s] /\ Put(r, r.s)
            /\ UNCHANGED <<sent, lim, nxt, known, taken, pend, old, b, w, issued, dup, alarm>>
ApplyOne(r,s) == /\ mark[s].ver = r.exp[s] /\ Put(r, {s})
            /\ UNCHANGED <<sent, lim, nxt, known, taken, pend, old, b, w, issued, dup, alarm>>
\* A reads one mark of what is pending
Read(s) ==
  /\ s \in pend.open
  /\ LET m == mark[s]
         mine == m.ver = pend.n
         asOld == m.ver = known[s]
         grant == IF ~mine THEN {} ELSE IF Adopt = "all" THEN pend.all ELSE {s}
         gone == pend.gone \/ ~(mine \/ asOld)
         open == IF mine /\ Adopt = "all" THEN {}
                 ELSE IF mine \/ ~asOld THEN pend.open \ ({s} \cup (IF gone /\ Dead = "stale" THEN old ELSE {}))
                 ELSE IF pend.gone /\ Dead # "never" THEN pend.open \ {s} ELSE pend.open IN
     /\ lim' = [x \in Slots |-> IF x \in grant THEN lim[x]+1 ELSE lim[x]]
     /\ known' = [x \in Slots |-> IF x \in grant THEN pend.n ELSE known[x]]
     /\ taken' = IF mine \/ asOld THEN taken ELSE taken \cup {s}
     /\ alarm' = (alarm \/ (~mine /\ ~asOld /\ m.from < lim[s]))
     /\ pend' = IF open = {} THEN None ELSE [pend EXCEPT !.open = open, !.gone = gone]
     /\ old' = IF open = {} THEN {} ELSE IF asOld THEN old \cup {s} ELSE old
  /\ UNCHANGED <<mark, sent, nxt, b, w, issued, dup>>
IssueA(s) == /\ nxt[s] < lim[s] /\ nxt' = [nxt EXCEPT ![s] = @+1]
             /\ dup' = (dup \/ nxt[s] \in issued[s]) /\ issued' = [issued EXCEPT ![s] = @ \cup {nxt[s]}]
             /\ UNCHANGED <<mark, sent, lim, known, taken, pend, old, b, w, alarm>>
TakeOver(s) == /\ w < MaxW /\ w' = w+1 /\ mark[s].hw < MaxT
               /\ mark' = [mark EXCEPT ![s] = [hw |-> @.hw+1, ver |-> w+1, from |-> @.hw]]
               /\ b' = [b EXCEPT ![s] = @ \cup {mark[s].hw}]
               /\ UNCHANGED <<sent, lim, nxt, known, taken, pend, old, issued, dup, alarm>>
IssueB(s) == \E x \in b[s] : /\ dup' = (dup \/ x \in issued[s]) /\ issued' = [issued EXCEPT ![s] = @ \cup {x}]
             /\ b' = [b EXCEPT ![s] = @ \ {x}]
             /\ UNCHANGED <<mark, sent, lim, nxt, known, taken, pend, old, w, alarm>>
Next == \/ \E S \in SUBSET (Slots \ taken) : S # {} /\ Send(S)
        \/ \E r \in sent : IF Atomic THEN Apply(r) ELSE \E s \in r.s : ApplyOne(r,s)
        \/ \E s \in Slots : Read(s) \/ IssueA(s) \/ TakeOver(s) \/ IssueB(s)
Spec == Init /\ [][Next]_vars
NoDup == ~dup
\* rule 17 never sounds without a cause
NoFalseAlarm == ~alarm
=======================================================================

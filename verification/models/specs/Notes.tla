------------------------------ MODULE Notes ------------------------------
(* The resume folder without trusting a lock (rule 24).  A note <k> is a new file, made by CREATE_NEW: it says up to which
   tick (lo) its writer may issue, and how far the coordinator granted (hi).  Who advances, takes over, or ends creates
   k+1 and then lists: it has won only if its own is the highest.  An end is a note too (dead), made before the trim.  Notes
   below the highest may be deleted by any process at any time.  Between any two of these steps a process may sleep.
   Where Wipes, all of them may be deleted at once: then Pred is needed too, by which a process has won only if the very
   note that it goes on from is still there (gen stands for which file it is), and a note counts only when it was sealed
   after that.                                                                                                         *)
EXTENDS Integers, FiniteSets
CONSTANTS MaxT, MaxK, MaxFaults, Tomb, Verify, KeepHighest, Wipes, Pred
VARIABLES mark, ver, notes, ps, other, issued, dup, faults, gen
vars == <<mark,ver,notes,ps,other,issued,dup,faults,gen>>
P == {"p","q"}
K == 1..MaxK
None == [ok |-> FALSE, lo |-> 0, hi |-> 0, ver |-> 0, dead |-> FALSE, sealed |-> FALSE]
Off == [pc |-> "off", nxt |-> 0, use |-> 0, hi |-> 0, ver |-> 0, k |-> 0, to |-> 0, gen |-> 0]
Init == mark=0 /\ ver=0 /\ notes=[k \in K |-> None] /\ ps=[x \in P |-> Off] /\ other=[nxt |-> 0, lim |-> 0]
        /\ issued={} /\ dup=FALSE /\ faults=0 /\ gen=0
Highest == IF \E k \in K : notes[k].ok THEN CHOOSE k \in K : notes[k].ok /\ \A j \in K : notes[j].ok => j <= k ELSE 0
Same == UNCHANGED <<mark,ver,other,issued,dup,faults,gen>>
\* claim through the coordinator, then list (k = the highest seen) before the first note is made
Claim(x,lo,hi) == /\ ps[x].pc="off" /\ lo>=mark /\ hi>lo /\ hi<=MaxT /\ mark'=hi /\ ver'=ver+1
    /\ ps'=[ps EXCEPT ![x]=[pc |-> "ready", nxt |-> lo, use |-> lo, hi |-> hi, ver |-> ver+1, k |-> Highest, to |-> 0, gen |-> gen]]
    /\ UNCHANGED <<notes,other,issued,dup,faults,gen>>
\* a claimant whose next name was taken lists again; a holder must not: it has lost
Relist(x) == ps[x].pc="ready" /\ ps[x].to=0 /\ ps'=[ps EXCEPT ![x].k=Highest, ![x].gen=gen] /\ UNCHANGED <<notes>> /\ Same
\* the coordinator can't be reached: list, and read the highest note; what was read may be old by the next step
Look(x) == /\ ps[x].pc="off" /\ Highest>0
           /\ LET n == notes[Highest] IN (~n.dead /\ n.lo<n.hi /\ (~Pred \/ n.sealed)
              /\ ps'=[ps EXCEPT ![x]=[pc |-> "ready", nxt |-> n.lo, use |-> n.lo, hi |-> n.hi, ver |-> n.ver, k |-> Highest, to |-> -1, gen |-> gen]])
           /\ UNCHANGED <<notes>> /\ Same
\* CREATE_NEW of the next name, to issue up to u
Create(x,u) == /\ ps[x].pc \in {"ready","run"} /\ u>ps[x].use /\ u<=ps[x].hi /\ ps[x].k<MaxK
    /\ (IF notes[ps[x].k+1].ok
       THEN /\ notes'=notes /\ ps'=[ps EXCEPT ![x].pc=IF @="run" THEN "stuck" ELSE IF ps[x].to=-1 THEN "gone" ELSE "ready"]
       ELSE /\ notes'=[notes EXCEPT ![ps[x].k+1]=[ok |-> TRUE, lo |-> u, hi |-> ps[x].hi, ver |-> ps[x].ver, dead |-> FALSE, sealed |-> FALSE]]
            /\ ps'=[ps EXCEPT ![x].pc=IF @="run" THEN "made" ELSE "first", ![x].to=u])
    /\ Same
\* list after it: own is the highest?
Won(x) == /\ ps[x].pc \in {"made","first"}
    /\ (LET mine == ps[x].k+1 IN
          IF (~Verify \/ Highest=mine) /\ (~Pred \/ ps[x].k=0 \/ (ps[x].gen=gen /\ notes[ps[x].k].ok))
          THEN /\ ps'=[ps EXCEPT ![x].pc="run", ![x].use=ps[x].to, ![x].k=mine, ![x].to=0, ![x].gen=gen]
               /\ notes'=[notes EXCEPT ![mine].sealed=Pred]
          ELSE /\ ps'=[ps EXCEPT ![x].pc=IF @="made" THEN "stuck" ELSE "gone"] /\ UNCHANGED <<notes>>)
    /\ Same
Gone(x) == ps[x].pc="gone" /\ ps'=[ps EXCEPT ![x]=Off] /\ UNCHANGED <<notes>> /\ Same
Extend(x,hi) == /\ ps[x].pc \in {"run","stuck"} /\ ver=ps[x].ver /\ hi>ps[x].hi /\ hi<=MaxT /\ mark=ps[x].hi
    /\ mark'=hi /\ ver'=ver+1 /\ ps'=[ps EXCEPT ![x].hi=hi, ![x].ver=ver+1] /\ UNCHANGED <<notes,other,issued,dup,faults,gen>>
Issue(x,t) == /\ ps[x].pc \in {"run","made","stuck"} /\ t>=ps[x].nxt /\ t<ps[x].use /\ dup'=(dup \/ t \in issued) /\ issued'=issued \cup {t}
    /\ ps'=[ps EXCEPT ![x].nxt=t+1] /\ UNCHANGED <<mark,ver,notes,other,faults,gen>>
Crash(x) == ps[x].pc # "off" /\ faults<MaxFaults /\ faults'=faults+1 /\ ps'=[ps EXCEPT ![x]=Off] /\ UNCHANGED <<mark,ver,notes,other,issued,dup,gen>>
\* a graceful end: seal; a tombstone (or, without one, the own note is deleted); list; then trim
Seal(x) == ps[x].pc="run" /\ ps'=[ps EXCEPT ![x].pc="sealed"] /\ UNCHANGED <<notes>> /\ Same
Bury(x) == /\ ps[x].pc="sealed" /\ ps[x].k<MaxK
    /\ (IF Tomb THEN IF notes[ps[x].k+1].ok THEN notes'=notes /\ ps'=[ps EXCEPT ![x]=Off]
                    ELSE notes'=[notes EXCEPT ![ps[x].k+1]=[ok |-> TRUE, lo |-> 0, hi |-> 0, ver |-> 0, dead |-> TRUE, sealed |-> FALSE]] /\ ps'=[ps EXCEPT ![x].pc="buried"]
       ELSE notes'=[notes EXCEPT ![ps[x].k]=None] /\ ps'=[ps EXCEPT ![x].pc="buried"])
    /\ Same
Trim(x) == /\ ps[x].pc="buried"
    /\ (IF (~Tomb \/ ~Verify \/ Highest=ps[x].k+1) /\ (~Pred \/ ~Tomb \/ (ps[x].gen=gen /\ notes[ps[x].k].ok)) /\ ver=ps[x].ver /\ mark=ps[x].hi
       THEN mark'=ps[x].nxt /\ ver'=ver+1 ELSE UNCHANGED <<mark,ver>>)
    /\ ps'=[ps EXCEPT ![x]=Off] /\ UNCHANGED <<notes,other,issued,dup,faults,gen>>
\* any process deletes a note below the highest (or, where that is not kept, any)
Delete(k) == notes[k].ok /\ (k<Highest \/ (~KeepHighest /\ notes[k].dead)) /\ notes'=[notes EXCEPT ![k]=None] /\ UNCHANGED <<ps>> /\ Same
\* the folder is deleted
Wipe == /\ Wipes /\ faults<MaxFaults /\ faults'=faults+1 /\ notes'=[k \in K |-> None] /\ gen'=gen+1
        /\ UNCHANGED <<mark,ver,ps,other,issued,dup>>
OClaim(lo,hi) == /\ other.lim=other.nxt /\ lo>=mark /\ hi>lo /\ hi<=MaxT /\ mark'=hi /\ ver'=ver+1 /\ other'=[nxt |-> lo, lim |-> hi]
    /\ UNCHANGED <<notes,ps,issued,dup,faults,gen>>
OIssue(t) == /\ t>=other.nxt /\ t<other.lim /\ dup'=(dup \/ t \in issued) /\ issued'=issued \cup {t} /\ other'=[other EXCEPT !.nxt=t+1]
    /\ UNCHANGED <<mark,ver,notes,ps,faults,gen>>
Next == \/ Wipe
        \/ \E x \in P, a,b \in 0..MaxT : Claim(x,a,b)
        \/ \E c,d \in 0..MaxT : OClaim(c,d)
        \/ \E x \in P, u \in 0..MaxT : Create(x,u) \/ Extend(x,u) \/ Issue(x,u)
        \/ \E t \in 0..MaxT : OIssue(t)
        \/ \E x \in P : Relist(x) \/ Look(x) \/ Won(x) \/ Gone(x) \/ Crash(x) \/ Seal(x) \/ Bury(x) \/ Trim(x)
        \/ \E k \in K : Delete(k)
Spec == Init /\ [][Next]_vars
NoDup == ~dup
Bound == ver <= 4
===========================================================================

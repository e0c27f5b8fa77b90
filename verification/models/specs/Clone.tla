---- MODULE Clone ----
(* A memory image of a holder is copied at any moment, the pending write included, and the copy restored: both know the same grant. One worker id.
   Guard (rule 21): a restored copy (its clock has jumped) issues nothing before a write with fresh random bytes was applied, begins then at
   the limit both knew, and gives up bytes that were pending. Fresh (rule 20): every write has random bytes of its own; else bytes are (count, limit).
   ByToken: bytes written under the own claim's token are adopted (rule 5 says: only exactly the bytes sent).
   From: duplicates below it don't count, and the image is taken while nothing above it is granted or asked for: what two copies that
   notice nothing (Guard off) share is lost, and the question is what they do above it.
   Left out: a call under way when the image is taken (Resumed has it). *)
EXTENDS Integers, FiniteSets
CONSTANTS MaxT, MaxW, Guard, Fresh, ByToken, From
Procs=={"p","c"}
VARIABLES mark, ps, cloned, ctr, issued, dup
vars==<<mark,ps,cloned,ctr,issued,dup>>
None==[k|->0,hw|->0,rnd|->0]
Off==[pc|->"off",nxt|->0,lim|->0,known|->None,pend|->None,doubt|->FALSE]
Init== mark=[k|->1,hw|->1,rnd|->1] /\ ps=[x \in Procs|->IF x="p" THEN [Off EXCEPT !.pc="hold",!.lim=1,!.known=[k|->1,hw|->1,rnd|->1]] ELSE Off] /\ cloned=FALSE /\ ctr=1 /\ issued={} /\ dup=FALSE
Clone== ~cloned /\ cloned'=TRUE /\ ps["p"].pc="hold" /\ (From>0 => ps["p"].lim<=From /\ ps["p"].pend.hw<=From)
  /\ ps'=[ps EXCEPT !["c"]=IF Guard /\ ps["p"].pend#None THEN Off ELSE [ps["p"] EXCEPT !.doubt=Guard]] /\ UNCHANGED <<mark,ctr,issued,dup>>
(* note the bytes, then send them *)
Send(x,hw)== /\ ps[x].pc="hold" /\ ps[x].pend=None /\ ctr<MaxW /\ hw>ps[x].lim /\ hw<=MaxT
  /\ ctr'=ctr+1 /\ ps'=[ps EXCEPT ![x].pend=[k|->ps[x].known.k+1,hw|->hw,rnd|->IF Fresh \/ ps[x].doubt THEN ctr+1 ELSE 0]]
  /\ UNCHANGED <<mark,cloned,issued,dup>>
Adopt(x)== [ps EXCEPT ![x].nxt=IF ps[x].doubt /\ ps[x].lim>ps[x].nxt THEN ps[x].lim ELSE ps[x].nxt, ![x].lim=mark'.hw, ![x].known=mark', ![x].pend=None, ![x].doubt=FALSE]
Answer(x)== /\ ps[x].pc="hold" /\ ps[x].pend#None
  /\ (\/ mark=ps[x].known /\ mark'=ps[x].pend /\ ps'=Adopt(x)
      \/ mark#ps[x].known /\ UNCHANGED mark /\ ps'=(IF mark=ps[x].pend \/ ByToken THEN Adopt(x) ELSE [ps EXCEPT ![x].pc="stop"]))
  /\ UNCHANGED <<cloned,ctr,issued,dup>>
(* the answer is lost: applied, but the process only knows what it sent *)
Lost(x)== /\ ps[x].pc="hold" /\ ps[x].pend#None /\ mark=ps[x].known /\ mark'=ps[x].pend /\ UNCHANGED <<ps,cloned,ctr,issued,dup>>
Issue(x)== /\ ps[x].pc="hold" /\ ~ps[x].doubt /\ ps[x].nxt<ps[x].lim /\ dup'=(dup \/ (ps[x].nxt>=From /\ ps[x].nxt \in issued)) /\ issued'=issued \cup {ps[x].nxt}
  /\ ps'=[ps EXCEPT ![x].nxt=ps[x].nxt+1] /\ UNCHANGED <<mark,cloned,ctr>>
Next== Clone \/ \E x \in Procs: Answer(x) \/ Lost(x) \/ Issue(x) \/ \E hw \in 1..MaxT: Send(x,hw)
Spec==Init /\ [][Next]_vars
NoDup==~dup
====

---- MODULE Checkpoint ----
(* A process is told of a checkpoint: it seals, gives its worker id back, and when the coordinator has confirmed that, its memory is copied. Both copies
   claim anew. Requests arrive late, or never; answers are lost. Nothing looks at owners, clocks or leases.
   Early: the image is taken without the confirmation (snowflake.checkpoint.unreleased=allow). Then the sealed rest of the process is in both copies too, and
   each may try to give back what it held.
   Seal: nothing is issued from then on. Anew: copies claim, and don't go on with what they held. Fresh: a write has random bytes of its own, drawn after the
   restore; else both copies write the same. *)
EXTENDS Integers, FiniteSets
CONSTANTS MaxT, MaxW, Slots, Early, Seal, Anew, Fresh
Procs=={"p","c","oldp","oldc"}
VARIABLES mark, ps, net, image, ctr, issued, dup
vars==<<mark,ps,net,image,ctr,issued,dup>>
None==[lim|->0,rnd|->0]
Off==[pc|->"off",slot|->0,nxt|->0,lim|->0,known|->None,pend|->None,sent|->0]
Init== mark=[s \in Slots|->[lim|->0,rnd|->0]] /\ ps=[x \in Procs|->IF x="p" THEN [Off EXCEPT !.pc="idle"] ELSE Off]
  /\ net={} /\ image=FALSE /\ ctr=0 /\ issued={} /\ dup=FALSE
Bytes(x,hw)== [lim|->hw,rnd|->IF Fresh \/ ~image THEN ctr+1 ELSE 100+ps[x].sent]
(* bytes are noted before they are sent *)
Write(x,s,exp,hw,pc)== /\ ctr<MaxW /\ ctr'=ctr+1 /\ net'=net \cup {[slot|->s,exp|->exp,new|->Bytes(x,hw)]}
  /\ ps'=[ps EXCEPT ![x].pc=pc,![x].slot=s,![x].known=exp,![x].pend=Bytes(x,hw),![x].sent=IF Fresh THEN 0 ELSE @+1]
  /\ UNCHANGED <<mark,image,issued,dup>>
Claim(x)== ps[x].pc="idle" /\ \E s \in Slots, hw \in 1..MaxT: hw>mark[s].lim /\ Write(x,s,mark[s],hw,"claiming")
Extend(x)== ps[x].pc="hold" /\ ps[x].pend=None /\ \E hw \in 1..MaxT: hw>ps[x].lim /\ Write(x,ps[x].slot,ps[x].known,hw,"hold")
Arrive== \E r \in net: /\ net'=net \ {r} /\ mark'=(IF mark[r.slot]=r.exp THEN [mark EXCEPT ![r.slot]=r.new] ELSE mark)
  /\ UNCHANGED <<ps,image,ctr,issued,dup>>
Mine(x)== mark[ps[x].slot]=ps[x].pend
(* it reads what became of its write; a claim that is not there is given up, and its request may still be under way *)
Learn(x)== /\ ps[x].pend#None
  /\ ps'=[ps EXCEPT ![x]=
      IF Mine(x) /\ @.pc="claiming" THEN [@ EXCEPT !.pc="hold",!.nxt=ps[x].known.lim,!.lim=ps[x].pend.lim,!.known=ps[x].pend,!.pend=None]
      ELSE IF Mine(x) /\ @.pc="hold" THEN [@ EXCEPT !.lim=ps[x].pend.lim,!.known=ps[x].pend,!.pend=None]
      ELSE IF Mine(x) /\ @.pc="sealed" THEN [@ EXCEPT !.known=ps[x].pend,!.pend=None]
      ELSE IF Mine(x) THEN [@ EXCEPT !.pc="released",!.pend=None]
      ELSE IF mark[@.slot]=@.known /\ @.pc#"claiming" THEN @
      ELSE IF @.pc \in {"claiming","hold"} THEN [Off EXCEPT !.pc="idle",!.sent=ps[x].sent]
      ELSE [@ EXCEPT !.pc="superseded",!.pend=None]]
  /\ ps'#ps /\ UNCHANGED <<mark,net,image,ctr,issued,dup>>
Issue(x)== /\ (ps[x].pc="hold" \/ (~Seal /\ ps[x].pc \in {"sealed","releasing","released"})) /\ ps[x].nxt<ps[x].lim
  /\ dup'=(dup \/ <<ps[x].slot,ps[x].nxt>> \in issued) /\ issued'=issued \cup {<<ps[x].slot,ps[x].nxt>>}
  /\ ps'=[ps EXCEPT ![x].nxt=@+1] /\ UNCHANGED <<mark,net,image,ctr>>
BeforeCheckpoint== ~image /\ ps["p"].pc="hold" /\ ps'=[ps EXCEPT !["p"].pc="sealed"] /\ UNCHANGED <<mark,net,image,ctr,issued,dup>>
Release(x)== ps[x].pc="sealed" /\ ps[x].pend=None /\ Write(x,ps[x].slot,ps[x].known,ps[x].nxt,"releasing")
Image== /\ ~image /\ (ps["p"].pc="released" \/ (Early /\ ps["p"].pc \in {"sealed","releasing"})) /\ image'=TRUE
  /\ LET old==IF ps["p"].pc="released" THEN Off ELSE ps["p"]
         new==IF Anew THEN [Off EXCEPT !.pc="idle"] ELSE [ps["p"] EXCEPT !.pc="hold",!.pend=None]
     IN ps'=[x \in Procs|->IF x \in {"p","c"} THEN new ELSE old]
  /\ UNCHANGED <<mark,net,ctr,issued,dup>>
Next== Arrive \/ BeforeCheckpoint \/ Image \/ \E x \in Procs: Claim(x) \/ Extend(x) \/ Learn(x) \/ Issue(x) \/ Release(x)
Spec==Init /\ [][Next]_vars
NoDup==~dup
====

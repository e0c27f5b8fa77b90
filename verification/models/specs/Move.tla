---- MODULE Move ----
(* one worker id, two namespaces (old "a", new "b") feeding one column; moving house with processes still running.
   meta[a] compare in claim always; ExtMeta: also in extend. Operator: retire a (CAS meta), read mark a, set floor of b. *)
EXTENDS Integers, FiniteSets, TLC
CONSTANTS Procs, MaxT, W, MaxReq, ExtMeta, RetireFirst
NS=={"a","b"}
Sym==Permutations(Procs)
VARIABLES mark, retired, floorB, net, ps, ctr, issued, dup
vars==<<mark,retired,floorB,net,ps,ctr,issued,dup>>
Idle==[pc|->"idle",ns|->"a",nxt|->0,lim|->0,ver|->0,pend|->0,phw|->0]
Init== mark=[n \in NS|->[hw|->0,ver|->0]] /\ retired=FALSE /\ floorB=-1 /\ net={} /\ ps=[p \in Procs|->Idle] /\ ctr=0 /\ issued={} /\ dup=FALSE
Claim(p,n,lo)== /\ ps[p].pc="idle" /\ ctr<MaxReq /\ lo>=mark[n].hw /\ lo+W<=MaxT /\ (n="b" => floorB>=0 /\ lo>=floorB)
  /\ net'=net \cup {[t|->"claim",p|->p,ns|->n,exp|->mark[n].ver,hw|->lo+W,n|->ctr+1]}
  /\ ps'=[ps EXCEPT ![p]=[pc|->"claim",ns|->n,nxt|->lo,lim|->lo,ver|->mark[n].ver,pend|->ctr+1,phw|->lo+W]] /\ ctr'=ctr+1
  /\ UNCHANGED <<mark,retired,floorB,issued,dup>>
Ext(p,hw)== /\ ps[p].pc="hold" /\ ps[p].pend=0 /\ ctr<MaxReq /\ hw>ps[p].lim /\ hw<=MaxT
  /\ net'=net \cup {[t|->"ext",p|->p,ns|->ps[p].ns,exp|->ps[p].ver,hw|->hw,n|->ctr+1]}
  /\ ps'=[ps EXCEPT ![p].pend=ctr+1,![p].phw=hw] /\ ctr'=ctr+1 /\ UNCHANGED <<mark,retired,floorB,issued,dup>>
MetaOk(r)== r.ns="b" \/ ~retired \/ (r.t="ext" /\ ~ExtMeta)
Apply(r)==
  /\ r \in net /\ net'=net\{r}
  /\ (IF mark[r.ns].ver=r.exp /\ MetaOk(r) THEN mark'=[mark EXCEPT ![r.ns]=[hw|->r.hw,ver|->r.n]] ELSE UNCHANGED mark)
  /\ UNCHANGED <<retired,floorB,ps,ctr,issued,dup>>
Read(p)==
  /\ ps[p].pend#0
  /\ LET m==mark[ps[p].ns] IN
     ps'= (IF m.ver=ps[p].pend THEN [ps EXCEPT ![p].pc="hold",![p].lim=ps[p].phw,![p].ver=ps[p].pend,![p].pend=0]
        ELSE IF ps[p].pc="claim" THEN [ps EXCEPT ![p]=Idle]
        ELSE IF m.ver=ps[p].ver THEN [ps EXCEPT ![p].pend=0] ELSE [ps EXCEPT ![p].pend=0,![p].pc="lost"])
  /\ UNCHANGED <<mark,retired,floorB,net,ctr,issued,dup>>
Issue(p,ts)== /\ ps[p].pc \in {"hold","lost"} /\ ts>=ps[p].nxt /\ ts<ps[p].lim /\ dup'=(dup \/ ts \in issued) /\ issued'=issued \cup {ts}
  /\ ps'=[ps EXCEPT ![p].nxt=ts+1] /\ UNCHANGED <<mark,retired,floorB,net,ctr>>
Retire== ~retired /\ retired'=TRUE /\ UNCHANGED <<mark,floorB,net,ps,ctr,issued,dup>>
SetFloor== floorB=-1 /\ (RetireFirst => retired) /\ floorB'=mark["a"].hw /\ UNCHANGED <<mark,retired,net,ps,ctr,issued,dup>>
Next== Retire \/ SetFloor \/ (\E r \in net: Apply(r)) \/ \E p \in Procs: Read(p) \/ \E x \in 0..MaxT: Ext(p,x) \/ Issue(p,x) \/ \E n \in NS: Claim(p,n,x)
Spec==Init /\ [][Next]_vars
NoDup==~dup
====

---- MODULE MoveTwice ----
(* Operators who move a namespace, whatever comes to their minds: from any place to any other, again, back, two at once, stopped at any
   moment. All places are called the same ("etcd:snowflake"), so that only records tell them apart. Each step is one compare-and-set on
   the record of one place; it may arrive late, or never, and its sender looks at the records to learn what came of it.
   A process that uses a place is granted one tick at a time, and issues it: a grant compares the record (Move shows why), so that a
   mark never moves under a retired one. Clocks don't occur: any tick from mark and floor on. The floor is the old mark: what
   was lost is not in this model.
   Names: the retired record names the id of its successor, and only a record with that id is put in use for it.
   Reserves: a record with that id is written at the new place before the old one names it.
   Restores: they also restore what is in use, or was retired for that. *)
EXTENDS Integers, FiniteSets, TLC
CONSTANTS Places, Home, MaxT, MaxIds, MaxReq, Names, Reserves, Restores
Sym==Permutations(Places \ {Home})
None==[st|->"none",id|->0,succ|->0,repl|->0,floor|->0]
VARIABLES rec,   \* per place: the record
          mark,  \* per place: the mark of the one worker id
          net,   \* writes under way
          ids, reqs, issued, dup
vars==<<rec,mark,net,ids,reqs,issued,dup>>
Init== rec=[x \in Places|->IF x=Home THEN [None EXCEPT !.st="active",!.id=1] ELSE None] /\ mark=[x \in Places|->0]
  /\ net={} /\ ids=1 /\ reqs=0 /\ issued={} /\ dup=FALSE
Max(a,b)==IF a>b THEN a ELSE b
Use(x,t)== /\ rec[x].st="active" /\ t>=Max(mark[x],rec[x].floor) /\ t<MaxT
  /\ mark'=[mark EXCEPT ![x]=t+1] /\ dup'=(dup \/ t \in issued) /\ issued'=issued \cup {t} /\ UNCHANGED <<rec,net,ids,reqs>>
Send(x,new)== /\ reqs<MaxReq /\ reqs'=reqs+1 /\ net'=net \cup {[at|->x,exp|->rec[x],new|->new]} /\ UNCHANGED <<rec,mark,issued,dup>>
\* A record is replaced only as a whole; one that is not as expected stays.
Arrive(r)== /\ r \in net /\ net'=net\{r} /\ rec'=(IF rec[r.at]=r.exp THEN [rec EXCEPT ![r.at]=r.new] ELSE rec)
  /\ UNCHANGED <<mark,ids,reqs,issued,dup>>
Free(f,y)== \/ rec[y].st \in {"none","moved"}
            \/ rec[y].st="retired" /\ Names /\ rec[y].succ#0 /\ (rec[y].succ=f.id \/ rec[y].succ=f.repl)
            \/ rec[y].st="retired" /\ ~Names
            \/ rec[y].st="reserved" /\ rec[y].repl=f.repl
\* What may leave its place: retired without a successor is retired to be restored, where restoring is possible.
Leaves(x)== rec[x].st="active" \/ (Restores /\ rec[x].st="retired" /\ rec[x].succ=0)
\* What an operator does next who wants x to go on at y: all of it follows from the two records.
Reserve(x,y)== /\ Reserves /\ Leaves(x) /\ Free(rec[x],y) /\ rec[y].id#rec[x].id /\ ids<MaxIds /\ ids'=ids+1
  /\ Send(y,[st|->"reserved",id|->ids+1,succ|->0,repl|->rec[x].id,floor|->rec[y].floor])
Retire(x,y)== /\ Leaves(x) /\ rec[y].id#rec[x].id
  /\ IF Reserves THEN rec[y].st="reserved" /\ rec[y].repl=rec[x].id /\ ids'=ids /\ Send(x,[rec[x] EXCEPT !.st="retired",!.succ=rec[y].id])
     ELSE Free(rec[x],y) /\ ids<MaxIds /\ ids'=ids+1 /\ Send(x,[rec[x] EXCEPT !.st="retired",!.succ=IF Names THEN ids+1 ELSE 0])
PutInUse(x,y)== /\ rec[x].st="retired" /\ rec[y].id#rec[x].id
  /\ LET above==Max(mark[x],Max(rec[x].floor,rec[y].floor)) IN
     IF Reserves THEN rec[y].st="reserved" /\ rec[y].id=rec[x].succ /\ ids'=ids /\ Send(y,[rec[y] EXCEPT !.st="active",!.floor=above])
     ELSE IF Names THEN Free(rec[x],y) /\ ids'=ids /\ Send(y,[st|->"active",id|->rec[x].succ,succ|->0,repl|->rec[x].id,floor|->above])
     ELSE Free(rec[x],y) /\ ids<MaxIds /\ ids'=ids+1 /\ Send(y,[st|->"active",id|->ids+1,succ|->0,repl|->rec[x].id,floor|->above])
Note(x,y)== /\ Names /\ rec[x].st="retired" /\ rec[y].st#"reserved" /\ rec[x].succ \in {rec[y].id,rec[y].repl} \ {0} /\ ids'=ids
  /\ Send(x,[rec[x] EXCEPT !.st="moved"])
RetireHere(x)== Restores /\ rec[x].st="active" /\ ids'=ids /\ Send(x,[rec[x] EXCEPT !.st="retired"])
Restore(x)== /\ Restores /\ rec[x].st="retired" /\ rec[x].succ=0 /\ ids<MaxIds /\ ids'=ids+1
  /\ Send(x,[rec[x] EXCEPT !.st="active",!.id=ids+1,!.repl=rec[x].id,!.floor=Max(mark[x],rec[x].floor)])
Next== \/ \E r \in net: Arrive(r)
       \/ \E x \in Places: \/ \E t \in 0..MaxT: Use(x,t)
                           \/ RetireHere(x) \/ Restore(x)
                           \/ \E y \in Places\{x}: Reserve(x,y) \/ Retire(x,y) \/ PutInUse(x,y) \/ Note(x,y)
Spec==Init /\ [][Next]_vars
NoDup==~dup
OneInUse==Cardinality({x \in Places: rec[x].st="active"})<=1
====

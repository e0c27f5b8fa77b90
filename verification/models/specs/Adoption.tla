---------------------------- MODULE Adoption ----------------------------
(* Snowflake worker slots: owner record (lease, liveness) + persistent mark
   (safety).  Wall clocks are fully adversarial: every clock read is a free
   choice, so no clock variable exists.  Pauses are interleavings.  A request
   may be applied at any later time, or never; its reply may be late or lost.
   The lease may expire at any moment.  One id per (slot, ts) stands for the
   whole sequence range of that ts (the sequence is local to one holder).   *)
EXTENDS Integers, FiniteSets, TLC
CONSTANTS Procs, Slots, MaxT, W, MaxReq, MaxExp,
  Cmp,        \* "ver"  : CAS on the mark's unique version (the proposal)
              \* "val"  : CAS on the mark's value        (ABA variant)
              \* "none" : no compare on the mark         (owner-guard only)
  CmpOwner,   \* extension and trim also compare the owner record
  Trim,       \* graceful close lowers the mark
  Seal,       \* close seals the generator before it reads 'last'
  Floor,      \* a trim never goes below the mark found at claim
  Readopt,    \* BUG: a restarted process resumes a mark that carries its name
  Clone,      \* ASSUMPTION BROKEN: a process image is restored twice
  Wipe, Dup, FreeTok, Stale, Reown
VARIABLES owner, mark, net, ps, ctr, exps, issued, dup, wiped, hist, dups
vars == <<owner, mark, net, ps, ctr, exps, issued, dup, wiped, hist, dups>>
Sym == Permutations(Procs) \cup Permutations(Slots)
NoS == CHOOSE s \in Slots : TRUE
Idle == [pc |-> "idle", s |-> NoS, floor |-> 0, nxt |-> 0, lim |-> 0, any |-> FALSE,
         ver |-> 0, own |-> 0, pend |-> 0, phw |-> 0, tok |-> 0]
Max(a,b) == IF a > b THEN a ELSE b
Init == /\ owner = [s \in Slots |-> 0]
        /\ mark = [s \in Slots |-> [hw |-> 0, ver |-> 0, tok |-> 0, from |-> 0]]
        /\ net = {} /\ ps = [p \in Procs |-> Idle] /\ ctr = 0 /\ exps = 0
        /\ issued = [s \in Slots |-> {}] /\ dup = FALSE /\ wiped = FALSE /\ hist = [s \in Slots |-> {[hw |-> 0, ver |-> 0, tok |-> 0, from |-> 0]}] /\ dups = 0
Req(t,p,s,exp,expHw,own,hw) ==
  [t |-> t, p |-> p, s |-> s, exp |-> exp, eHw |-> expHw, own |-> own, hw |-> hw, n |-> ctr+1, ok |-> FALSE, tok |-> IF t="claim" THEN ctr+1 ELSE ps[p].tok, from |-> IF t="claim" THEN hw-W ELSE -1]
\* replies that no process waits for any more are garbage
\* (and, for the unique-version CAS, a request whose expected version is gone can never apply)
Clean2(nt, st, mk) == { r \in nt : /\ ~(r.ok /\ st[r.p].pend # r.n)
                                  /\ (r.ok \/ FreeTok \/ Wipe \/ Cmp # "ver" \/ mk[r.s].ver = r.exp) }
Clean(nt, st) == Clean2(nt, st, mark)

SendClaim(p,s,lo) ==
  /\ ps[p].pc = "idle" /\ ctr < MaxReq /\ owner[s] = 0
  /\ lo >= mark[s].hw /\ lo + W <= MaxT            \* lo = max(wall, mark), wall arbitrary
  /\ net' = net \cup {Req("claim",p,s,mark[s].ver,mark[s].hw,0,lo+W)}
  /\ ps' = [ps EXCEPT ![p] = [Idle EXCEPT !.pc = "claim", !.s = s, !.floor = mark[s].hw,
               !.nxt = lo, !.lim = lo, !.ver = mark[s].ver, !.pend = ctr+1, !.phw = lo+W, !.tok = ctr+1]]
  /\ ctr' = ctr+1 /\ UNCHANGED <<hist,dups,owner,mark,exps,issued,dup,wiped>>

SendExt(p,hw) ==
  /\ ps[p].pc = "hold" /\ ps[p].pend = 0 /\ ctr < MaxReq /\ hw > ps[p].lim /\ hw <= MaxT
  /\ net' = net \cup {Req("ext",p,ps[p].s,ps[p].ver,ps[p].lim,ps[p].own,hw)}
  /\ ps' = [ps EXCEPT ![p].pend = ctr+1, ![p].phw = hw]
  /\ ctr' = ctr+1 /\ UNCHANGED <<hist,dups,owner,mark,exps,issued,dup,wiped>>

SendTrim(p) ==
  /\ Trim /\ ps[p].pc \in {"hold","closing"} /\ ctr < MaxReq   \* "closing": a retry of the trim
  /\ LET x == IF ps[p].any THEN ps[p].nxt ELSE IF Floor THEN ps[p].floor ELSE 0 IN
     LET st == [ps EXCEPT ![p].pc = "closing", ![p].pend = ctr+1, ![p].phw = x] IN
       /\ ps' = st
       /\ net' = Clean(net \cup {Req("trim",p,ps[p].s,ps[p].ver,ps[p].lim,ps[p].own,x)}, st)
  /\ ctr' = ctr+1 /\ UNCHANGED <<hist,dups,owner,mark,exps,issued,dup,wiped>>

CmpOk(r) == CASE Cmp = "ver"  -> mark[r.s].ver = r.exp
              [] Cmp = "val"  -> mark[r.s].hw = r.eHw
              [] Cmp = "none" -> IF r.t = "claim" THEN mark[r.s].ver = r.exp ELSE TRUE
OwnOk(r) == IF r.t = "claim" THEN owner[r.s] = 0
            ELSE (~CmpOwner \/ owner[r.s] = r.own \/ (Reown /\ owner[r.s] = 0))
Apply(r) ==
  /\ r \in net /\ ~r.ok
  /\ IF CmpOk(r) /\ OwnOk(r)
     THEN LET nm == [hw |-> r.hw, ver |-> IF FreeTok /\ r.t = "trim" THEN 100 + r.hw ELSE r.n,
                     tok |-> IF r.t = "trim" THEN 0 ELSE r.tok, from |-> IF r.t = "claim" THEN r.from ELSE mark[r.s].from] IN
          /\ mark' = [mark EXCEPT ![r.s] = nm]
          /\ hist' = IF Stale THEN [hist EXCEPT ![r.s] = @ \cup {nm}] ELSE hist
          /\ owner' = [owner EXCEPT ![r.s] = CASE r.t = "claim" -> r.n
                                              [] r.t = "ext" -> IF Reown /\ @ = 0 THEN r.own ELSE @
                                              [] r.t = "trim" -> 0]
          /\ \E keep \in {FALSE} \cup (IF dups < Dup THEN {TRUE} ELSE {}) :
               /\ dups' = IF keep THEN dups+1 ELSE dups
               /\ net' = Clean2((IF keep THEN net ELSE net \ {r}) \cup {[r EXCEPT !.ok = TRUE]}, ps, mark')
     ELSE net' = net \ {r} /\ UNCHANGED <<mark,owner,hist,dups>>
  /\ UNCHANGED <<ps,ctr,exps,issued,dup,wiped>>
\* a lost request = one that is never applied; a lost reply = one never received (no extra action needed)

Granted(p) == IF ps[p].pc = "claim"
   THEN [ps EXCEPT ![p].pc = "hold", ![p].lim = ps[p].phw, ![p].ver = ps[p].pend, ![p].own = ps[p].pend, ![p].pend = 0]
   ELSE IF ps[p].pc = "closing" THEN [ps EXCEPT ![p] = Idle]
   ELSE [ps EXCEPT ![p].lim = ps[p].phw, ![p].ver = ps[p].pend, ![p].pend = 0]
Recv(r) == /\ r \in net /\ r.ok /\ ps[r.p].pend = r.n
           /\ ps' = Granted(r.p) /\ net' = Clean(net \ {r}, ps')
           /\ UNCHANGED <<hist,dups,owner,mark,ctr,exps,issued,dup,wiped>>
\* time-out or "compare failed": read the mark and decide
Reread(p) ==
  /\ ps[p].pend # 0 /\ ps[p].pc \in {"claim","hold","closing"}
  /\ \E m \in {mark[ps[p].s]} \cup (IF Stale THEN hist[ps[p].s] ELSE {}) :
     ps' = IF ps[p].pc = "closing" THEN [ps EXCEPT ![p] = Idle]
           ELSE IF ps[p].pc = "claim" THEN
                IF m.tok = ps[p].tok THEN [ps EXCEPT ![p].pc = "hold", ![p].lim = m.hw, ![p].ver = m.ver, ![p].own = ps[p].tok, ![p].pend = 0]
                ELSE [ps EXCEPT ![p] = Idle]
           ELSE IF m.tok = ps[p].tok THEN [ps EXCEPT ![p].lim = Max(@, m.hw), ![p].ver = m.ver, ![p].pend = 0]  \* adopt anything with my token
           ELSE [ps EXCEPT ![p].pend = 0, ![p].pc = "lost"]
  /\ net' = Clean(net, ps')
  /\ UNCHANGED <<hist,dups,owner,mark,ctr,exps,issued,dup,wiped>>
Issue(p,ts) ==
  /\ ps[p].pc \in ({"hold","lost"} \cup IF Seal THEN {} ELSE {"closing"})
  /\ ts >= ps[p].nxt /\ ts < ps[p].lim
  /\ dup' = (dup \/ ts \in issued[ps[p].s])
  /\ issued' = [issued EXCEPT ![ps[p].s] = @ \cup {ts}]
  /\ ps' = [ps EXCEPT ![p].nxt = ts+1, ![p].any = TRUE]
  /\ UNCHANGED <<hist,dups,owner,mark,net,ctr,exps,wiped>>
Expire(s) == /\ owner[s] # 0 /\ exps < MaxExp /\ owner' = [owner EXCEPT ![s] = 0] /\ exps' = exps+1
             /\ UNCHANGED <<hist,dups,mark,net,ps,ctr,issued,dup,wiped>>
Crash(p) == /\ ps[p].pc # "idle" /\ exps < MaxExp /\ exps' = exps+1
            /\ ps' = [ps EXCEPT ![p] = Idle] /\ net' = Clean(net, ps')
            /\ UNCHANGED <<hist,dups,owner,mark,ctr,issued,dup,wiped>>
Fork(p,q) == /\ Clone /\ p # q /\ ps[q].pc = "idle" /\ ps[p].pc = "hold" /\ ps[p].pend = 0
             /\ ps' = [ps EXCEPT ![q] = ps[p]]
             /\ UNCHANGED <<hist,dups,owner,mark,net,ctr,exps,issued,dup,wiped>>
DoWipe == /\ Wipe /\ ~wiped /\ wiped' = TRUE
          /\ owner' = [s \in Slots |-> 0]
          /\ mark' = [s \in Slots |-> [hw |-> 0, ver |-> 0, tok |-> 0, from |-> 0]]
          /\ UNCHANGED <<hist,dups,net,ps,ctr,exps,issued,dup>>
Next == \/ \E p \in Procs, s \in Slots, lo \in 0..MaxT : SendClaim(p,s,lo)
        \/ \E p \in Procs, hw \in 0..MaxT : SendExt(p,hw)
        \/ \E p \in Procs : SendTrim(p) \/ Reread(p) \/ Crash(p)
        \/ \E r \in net : Apply(r) \/ Recv(r)
        \/ \E p \in Procs, ts \in 0..MaxT : Issue(p,ts)
        \/ \E s \in Slots : Expire(s)
        \/ \E p,q \in Procs : Fork(p,q)
        \/ DoWipe
Spec == Init /\ [][Next]_vars
NoDup == ~dup
\* the inductive heart: in the coordinator, everything issued or still issuable lies below the mark,
\* and the windows of different holders are disjoint
Below == \A p \in Procs : ps[p].pc \in {"hold","lost"} => ps[p].lim <= mark[ps[p].s].hw
IssuedBelow == \A s \in Slots : \A t \in issued[s] : t < mark[s].hw
Disjoint == \A p,q \in Procs : (p # q /\ ps[p].pc \in {"hold","lost"} /\ ps[q].pc \in {"hold","lost"}
              /\ ps[p].s = ps[q].s) => (ps[p].lim <= ps[q].nxt \/ ps[q].lim <= ps[p].nxt)
\* no false alarm: foreign bytes on my slot always begin at or above my limit
NoFalseRegress == \A p \in Procs : (ps[p].pc \in {"hold","lost"} /\ mark[ps[p].s].tok \notin {0, ps[p].tok}) => mark[ps[p].s].from >= ps[p].lim
=======================================================================

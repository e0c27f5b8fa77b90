---------------------------- MODULE Marks ----------------------------
(* Snowflake worker slots: owner record (lease, liveness) + persistent mark
   (safety).  Wall clocks are fully adversarial: every clock read is a free
   choice, so no clock variable exists.  Pauses are interleavings.  A request
   may be applied at any later time, or never; its reply may be late or lost.
   The lease may expire at any moment.  One id per (slot, ts) stands for the
   whole sequence range of that ts (the sequence is local to one holder).   *)
EXTENDS Naturals, FiniteSets, TLC
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
  Wipe,       \* ASSUMPTION BROKEN: coordinator restored to an empty state
  Fenced,     \* after a wipe: the new namespace begins above everything granted before it
  MetaClaim,  \* a claim compares the namespace record, which a wipe replaces
  ClaimOwner  \* a claim is for a slot without an owner only; FALSE: evict any owner
VARIABLES owner, mark, net, ps, ctr, exps, issued, dup, wiped
vars == <<owner, mark, net, ps, ctr, exps, issued, dup, wiped>>
Sym == Permutations(Procs) \cup Permutations(Slots)
NoS == CHOOSE s \in Slots : TRUE
Idle == [pc |-> "idle", s |-> NoS, floor |-> 0, nxt |-> 0, lim |-> 0, any |-> FALSE,
         ver |-> 0, own |-> 0, pend |-> 0, phw |-> 0]
Max(a,b) == IF a > b THEN a ELSE b
Init == /\ owner = [s \in Slots |-> 0]
        /\ mark = [s \in Slots |-> [hw |-> 0, ver |-> 0, by |-> "-"]]
        /\ net = {} /\ ps = [p \in Procs |-> Idle] /\ ctr = 0 /\ exps = 0
        /\ issued = [s \in Slots |-> {}] /\ dup = FALSE /\ wiped = FALSE
Req(t,p,s,exp,expHw,own,hw) ==
  [t |-> t, p |-> p, s |-> s, exp |-> exp, eHw |-> expHw, own |-> own, hw |-> hw, n |-> ctr+1, ok |-> FALSE, w |-> wiped]
\* replies that no process waits for any more are garbage
\* (and, for the unique-version CAS, a request whose expected version is gone can never apply)
Clean2(nt, st, mk) == { r \in nt : /\ ~(r.ok /\ st[r.p].pend # r.n)
                                  /\ (r.ok \/ Cmp # "ver" \/ Wipe \/ mk[r.s].ver = r.exp) }
Clean(nt, st) == Clean2(nt, st, mark)

SendClaim(p,s,lo) ==
  /\ ps[p].pc = "idle" /\ ctr < MaxReq /\ (ClaimOwner => owner[s] = 0)
  /\ lo >= mark[s].hw /\ lo + W <= MaxT            \* lo = max(wall, mark), wall arbitrary
  /\ net' = net \cup {Req("claim",p,s,mark[s].ver,mark[s].hw,0,lo+W)}
  /\ ps' = [ps EXCEPT ![p] = [Idle EXCEPT !.pc = "claim", !.s = s, !.floor = mark[s].hw,
               !.nxt = lo, !.lim = lo, !.ver = mark[s].ver, !.pend = ctr+1, !.phw = lo+W]]
  /\ ctr' = ctr+1 /\ UNCHANGED <<owner,mark,exps,issued,dup,wiped>>

SendExt(p,hw) ==
  /\ ps[p].pc = "hold" /\ ps[p].pend = 0 /\ ctr < MaxReq /\ hw > ps[p].lim /\ hw <= MaxT
  /\ net' = net \cup {Req("ext",p,ps[p].s,ps[p].ver,ps[p].lim,ps[p].own,hw)}
  /\ ps' = [ps EXCEPT ![p].pend = ctr+1, ![p].phw = hw]
  /\ ctr' = ctr+1 /\ UNCHANGED <<owner,mark,exps,issued,dup,wiped>>

SendTrim(p) ==
  /\ Trim /\ ps[p].pc \in {"hold","closing"} /\ ctr < MaxReq   \* "closing": a retry of the trim
  /\ LET x == IF ps[p].any THEN ps[p].nxt ELSE IF Floor THEN ps[p].floor ELSE 0 IN
     LET st == [ps EXCEPT ![p].pc = "closing", ![p].pend = ctr+1, ![p].phw = x] IN
       /\ ps' = st
       /\ net' = Clean(net \cup {Req("trim",p,ps[p].s,ps[p].ver,ps[p].lim,ps[p].own,x)}, st)
  /\ ctr' = ctr+1 /\ UNCHANGED <<owner,mark,exps,issued,dup,wiped>>

MetaOk(r) == ~MetaClaim \/ r.t # "claim" \/ r.w = wiped
CmpOk(r) == MetaOk(r) /\ CASE Cmp = "ver"  -> mark[r.s].ver = r.exp
                           [] Cmp = "val"  -> mark[r.s].hw = r.eHw
                           [] Cmp = "none" -> IF r.t = "claim" THEN mark[r.s].ver = r.exp ELSE TRUE
OwnOk(r) == IF r.t = "claim" THEN (ClaimOwner => owner[r.s] = 0)
            ELSE (~CmpOwner \/ owner[r.s] = r.own)
Apply(r) ==
  /\ r \in net /\ ~r.ok
  /\ IF CmpOk(r) /\ OwnOk(r)
     THEN /\ mark' = [mark EXCEPT ![r.s] = [hw |-> r.hw, ver |-> r.n, by |-> IF Readopt THEN r.p ELSE "-"]]
          /\ owner' = [owner EXCEPT ![r.s] = CASE r.t = "claim" -> r.n
                                              [] r.t = "ext" -> @
                                              [] r.t = "trim" -> 0]
          /\ net' = Clean2((net \ {r}) \cup {[r EXCEPT !.ok = TRUE]}, ps, mark')
     ELSE net' = net \ {r} /\ UNCHANGED <<mark,owner>>
  /\ UNCHANGED <<ps,ctr,exps,issued,dup,wiped>>
\* a lost request = one that is never applied; a lost reply = one never received (no extra action needed)

Granted(p) == IF ps[p].pc = "claim"
   THEN [ps EXCEPT ![p].pc = "hold", ![p].lim = ps[p].phw, ![p].ver = ps[p].pend, ![p].own = ps[p].pend, ![p].pend = 0]
   ELSE IF ps[p].pc = "closing" THEN [ps EXCEPT ![p] = Idle]
   ELSE [ps EXCEPT ![p].lim = ps[p].phw, ![p].ver = ps[p].pend, ![p].pend = 0]
Recv(r) == /\ r \in net /\ r.ok /\ ps[r.p].pend = r.n
           /\ ps' = Granted(r.p) /\ net' = Clean(net \ {r}, ps')
           /\ UNCHANGED <<owner,mark,ctr,exps,issued,dup,wiped>>
\* time-out or "compare failed": read the mark and decide
Reread(p) ==
  /\ ps[p].pend # 0 /\ ps[p].pc \in {"claim","hold","closing"}
  /\ LET m == mark[ps[p].s] IN
     ps' = IF m.ver = ps[p].pend THEN Granted(p)
           ELSE IF ps[p].pc \in {"claim","closing"} THEN [ps EXCEPT ![p] = Idle]
           ELSE IF m.ver = ps[p].ver \/ Cmp # "ver" THEN [ps EXCEPT ![p].pend = 0]  \* not applied (yet)
           ELSE [ps EXCEPT ![p].pend = 0, ![p].pc = "lost"]
  /\ net' = Clean(net, ps')
  /\ UNCHANGED <<owner,mark,ctr,exps,issued,dup,wiped>>
\* a restarted process finds its own name on the mark and resumes the window
Resume(p,s) ==
  /\ Readopt /\ ps[p].pc = "idle" /\ mark[s].by = p /\ mark[s].ver # 0
  /\ \E lo \in 0..MaxT : lo < mark[s].hw /\
     ps' = [ps EXCEPT ![p] = [Idle EXCEPT !.pc = "hold", !.s = s, !.nxt = lo, !.lim = mark[s].hw,
              !.ver = mark[s].ver, !.own = owner[s]]]
  /\ UNCHANGED <<owner,mark,net,ctr,exps,issued,dup,wiped>>

Issue(p,ts) ==
  /\ ps[p].pc \in ({"hold","lost"} \cup IF Seal THEN {} ELSE {"closing"})
  /\ ts >= ps[p].nxt /\ ts < ps[p].lim
  /\ dup' = (dup \/ ts \in issued[ps[p].s])
  /\ issued' = [issued EXCEPT ![ps[p].s] = @ \cup {ts}]
  /\ ps' = [ps EXCEPT ![p].nxt = ts+1, ![p].any = TRUE]
  /\ UNCHANGED <<owner,mark,net,ctr,exps,wiped>>
Expire(s) == /\ owner[s] # 0 /\ exps < MaxExp /\ owner' = [owner EXCEPT ![s] = 0] /\ exps' = exps+1
             /\ UNCHANGED <<mark,net,ps,ctr,issued,dup,wiped>>
Crash(p) == /\ ps[p].pc # "idle" /\ exps < MaxExp /\ exps' = exps+1
            /\ ps' = [ps EXCEPT ![p] = Idle] /\ net' = Clean(net, ps')
            /\ UNCHANGED <<owner,mark,ctr,issued,dup,wiped>>
Fork(p,q) == /\ Clone /\ p # q /\ ps[q].pc = "idle" /\ ps[p].pc = "hold" /\ ps[p].pend = 0
             /\ ps' = [ps EXCEPT ![q] = ps[p]]
             /\ UNCHANGED <<owner,mark,net,ctr,exps,issued,dup,wiped>>
DoWipe == /\ Wipe /\ ~wiped /\ wiped' = TRUE
          /\ owner' = [s \in Slots |-> 0]
          /\ mark' = [s \in Slots |-> [hw |-> IF Fenced THEN mark[s].hw ELSE 0, ver |-> 0, by |-> "-"]]
          /\ UNCHANGED <<net,ps,ctr,exps,issued,dup>>
Next == \/ \E p \in Procs, s \in Slots, lo \in 0..MaxT : SendClaim(p,s,lo)
        \/ \E p \in Procs, hw \in 0..MaxT : SendExt(p,hw)
        \/ \E p \in Procs : SendTrim(p) \/ Reread(p) \/ Crash(p)
        \/ \E r \in net : Apply(r) \/ Recv(r)
        \/ \E p \in Procs, ts \in 0..MaxT : Issue(p,ts)
        \/ \E s \in Slots : Expire(s)
        \/ \E p,q \in Procs : Fork(p,q)
        \/ \E p \in Procs, s \in Slots : Resume(p,s)
        \/ DoWipe
Spec == Init /\ [][Next]_vars
NoDup == ~dup
\* the inductive heart: in the coordinator, everything issued or still issuable lies below the mark,
\* and the windows of different holders are disjoint
Below == \A p \in Procs : ps[p].pc \in {"hold","lost"} => ps[p].lim <= mark[ps[p].s].hw
IssuedBelow == \A s \in Slots : \A t \in issued[s] : t < mark[s].hw
Disjoint == \A p,q \in Procs : (p # q /\ ps[p].pc \in {"hold","lost"} /\ ps[q].pc \in {"hold","lost"}
              /\ ps[p].s = ps[q].s) => (ps[p].lim <= ps[q].nxt \/ ps[q].lim <= ps[p].nxt)
=======================================================================

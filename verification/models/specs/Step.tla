----------------------------- MODULE Step -----------------------------
(* Rule 21: no id is dated later by a step of the wall clock that the monotonic clock does not show, before the keeper has
   vetted the clock.  t is the true time and what the monotonic clock shows; the wall clock shows t+off, and off changes
   as it likes.  The keeper publishes an anchor: a wall time, the monotonic time that belongs to it, and upTo, the highest
   wall time that is believed without a look at the monotonic clock.  A caller reads anchor and wall clock; above upTo it
   reads the monotonic clock too, and either raises upTo or has seen a step and waits for the keeper.  The keeper may come
   as late as it likes, and has a reference that tells the truth.  A second is one unit, Slack.  What an id is dated is the
   time a call takes here: positions, which are HotPath's and Stripes' matter, only make it wait.                       *)
EXTENDS Integers, Sequences
CONSTANTS Callers, MaxT, Offs, MaxAnchors, Start,
  Check,     \* "anchor": as above.  "no": the wall clock is believed.  "last": a wall time at most Slack above the last id is believed
  UpTo,      \* "in": a part of the anchor.  "apart": beside it.  "keeper": raised by the keeper only
  WallFirst, \* a caller reads the wall clock, then the monotonic one
  Bracket,   \* the keeper reads the monotonic clock before and after the wall clock, and again if it was paused between
  Doubt      \* while the clock is contradicted: "nano": time runs on by the monotonic clock, and who sees that the wall clock moved
             \* from where it was judged waits again; "corrected": it runs on by the wall clock and a correction
Slack == 1
Max(a,b) == IF a > b THEN a ELSE b
Abs(a) == IF a < 0 THEN -a ELSE a
VARIABLES t, off, stepped, anchors, cur, up, last, pc, ai, first, w, n, kpc, kn, kw, ahead, behind, alarm
vars == <<t, off, stepped, anchors, cur, up, last, pc, ai, first, w, n, kpc, kn, kw, ahead, behind, alarm>>
Anchor(wall, nano, on) == [w |-> wall, n |-> nano, up |-> wall+Slack, believed |-> on, judged |-> 0]
Init == /\ t = 0 /\ off = Start /\ stepped = FALSE /\ anchors = <<Anchor(Start, 0, TRUE)>> /\ cur = 1 /\ up = Start+Slack /\ last = Start
        /\ pc = [c \in Callers |-> "idle"] /\ ai = [c \in Callers |-> 1] /\ first = [c \in Callers |-> 1]
        /\ w = [c \in Callers |-> 0] /\ n = [c \in Callers |-> 0] /\ kpc = "idle" /\ kn = 0 /\ kw = 0
        /\ ahead = FALSE /\ behind = FALSE /\ alarm = FALSE
Expected(a, nano) == a.w + (nano - a.n)
Pass == t < MaxT /\ t' = t+1 /\ UNCHANGED <<off, stepped, anchors, cur, up, last, pc, ai, first, w, n, kpc, kn, kw, ahead, behind, alarm>>
Jump(x) == x # off /\ off' = x /\ stepped' = TRUE
        /\ UNCHANGED <<t, anchors, cur, up, last, pc, ai, first, w, n, kpc, kn, kw, ahead, behind, alarm>>
\* a caller
Begin(c) == /\ pc[c] = "idle" /\ pc' = [pc EXCEPT ![c] = IF WallFirst THEN "wall" ELSE "nano"]
            /\ ai' = [ai EXCEPT ![c] = cur] /\ first' = [first EXCEPT ![c] = cur]
            /\ UNCHANGED <<t, off, stepped, anchors, cur, up, last, w, n, kpc, kn, kw, ahead, behind, alarm>>
ReadWall(c) == /\ pc[c] = "wall" /\ w' = [w EXCEPT ![c] = t+off] /\ pc' = [pc EXCEPT ![c] = "compare"]
            /\ UNCHANGED <<t, off, stepped, anchors, cur, up, last, ai, first, n, kpc, kn, kw, ahead, behind, alarm>>
ReadNano(c) == /\ pc[c] = "nano" /\ n' = [n EXCEPT ![c] = t] /\ pc' = [pc EXCEPT ![c] = IF WallFirst THEN "decide" ELSE "wall"]
            /\ UNCHANGED <<t, off, stepped, anchors, cur, up, last, ai, first, w, kpc, kn, kw, ahead, behind, alarm>>
\* what a call read means nothing after it
Go(c, to) == /\ pc' = [pc EXCEPT ![c] = to]
             /\ IF to # "idle" THEN UNCHANGED <<ai, first, w, n>>
                ELSE /\ ai' = [ai EXCEPT ![c] = 1] /\ first' = [first EXCEPT ![c] = 1] /\ w' = [w EXCEPT ![c] = 0] /\ n' = [n EXCEPT ![c] = 0]
\* dated x.  Not later than an anchor in force during the call permits; while the clock is contradicted, not earlier either
Dated(c,x) == /\ ahead' = (ahead \/ \A k \in first[c]..cur : x > Expected(anchors[k], t) + Slack)
              /\ behind' = (behind \/ (first[c] = cur /\ ~anchors[cur].believed /\ x < anchors[cur].w))
              /\ last' = IF Check = "last" THEN Max(last, x) ELSE last
Bound(c) == CASE Check = "no" -> w[c] [] Check = "last" -> last + Slack
              [] OTHER -> IF UpTo = "apart" THEN up ELSE anchors[ai[c]].up
Compare(c) ==
  /\ pc[c] = "compare"
  /\ LET a == anchors[ai[c]] IN
     IF ~a.believed /\ Doubt = "corrected" THEN Dated(c, w[c] - a.judged + a.w - a.n) /\ Go(c, "idle")
     ELSE IF a.believed /\ w[c] <= Bound(c) THEN Dated(c, w[c]) /\ Go(c, "idle")
     ELSE Go(c, IF WallFirst THEN "nano" ELSE "decide") /\ UNCHANGED <<ahead, behind, last>>
  /\ UNCHANGED <<t, off, stepped, anchors, cur, up, kpc, kn, kw, alarm>>
Decide(c) ==
  /\ pc[c] = "decide"
  /\ LET a == anchors[ai[c]] IN
     IF ~a.believed /\ Abs(w[c] - n[c] - a.judged) <= Slack THEN Dated(c, Expected(a, n[c])) /\ Go(c, "idle") /\ UNCHANGED alarm
     ELSE IF a.believed /\ w[c] <= Expected(a, n[c]) + Slack /\ UpTo # "keeper" THEN Dated(c, w[c]) /\ Go(c, "raise") /\ UNCHANGED alarm
     ELSE alarm' = TRUE /\ Go(c, "idle") /\ UNCHANGED <<ahead, behind, last>>
  /\ UNCHANGED <<t, off, stepped, anchors, cur, up, kpc, kn, kw>>
\* a plain write: another caller may have raised it further
RaiseUpTo(c) ==
  /\ pc[c] = "raise" /\ Go(c, "idle")
  /\ LET x == Expected(anchors[ai[c]], n[c]) + Slack IN
     IF UpTo = "apart" THEN up' = x /\ UNCHANGED anchors ELSE anchors' = [anchors EXCEPT ![ai[c]].up = x] /\ UNCHANGED up
  /\ UNCHANGED <<t, off, stepped, cur, last, kpc, kn, kw, ahead, behind, alarm>>
\* the keeper looks at the clock: monotonic, wall, monotonic
Look(x) == /\ kpc = "idle" /\ x < MaxAnchors /\ kpc' = "wall" /\ kn' = t
           /\ UNCHANGED <<t, off, stepped, anchors, cur, up, last, pc, ai, first, w, n, kw, ahead, behind, alarm>>
LookWall == /\ kpc = "wall" /\ kpc' = "publish" /\ kw' = t+off
           /\ UNCHANGED <<t, off, stepped, anchors, cur, up, last, pc, ai, first, w, n, kn, ahead, behind, alarm>>
Publish ==
  /\ kpc = "publish" /\ kpc' = "idle" /\ kn' = 0 /\ kw' = 0
  /\ LET a == anchors[cur]
         steady == a.believed /\ Abs(kw - Expected(a, t)) <= Slack
         right == Abs(kw - t) <= Slack
         next == IF steady \/ right THEN Anchor(kw, t, TRUE) ELSE [Anchor(Expected(a, t), t, FALSE) EXCEPT !.judged = kw - t] IN
     IF Bracket /\ kn # t THEN UNCHANGED <<anchors, cur, up>>
     ELSE anchors' = Append(anchors, next) /\ cur' = cur+1 /\ up' = IF UpTo = "apart" THEN next.up ELSE up
  /\ UNCHANGED <<t, off, stepped, last, pc, ai, first, w, n, ahead, behind, alarm>>
Next == Pass \/ (\E x \in Offs : Jump(x)) \/ Look(cur) \/ LookWall \/ Publish
        \/ \E c \in Callers : Begin(c) \/ ReadWall(c) \/ ReadNano(c) \/ Compare(c) \/ Decide(c) \/ RaiseUpTo(c)
Spec == Init /\ [][Next]_vars
\* no id is dated more than a second later than the clock vetted last says, carried on by the monotonic clock
NotAhead == ~ahead
\* nor earlier, while the wall clock is not believed
NotBehind == ~behind
\* no call waits for the keeper if the clock ran steadily
NoFalseAlarm == ~stepped => ~alarm
=======================================================================

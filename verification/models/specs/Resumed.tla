---------------------------- MODULE Resumed ----------------------------
(* Rule 21 and copies (A2): an image of process P is taken at any moment and restored as C later.  t is the
   true time; a process's monotonic clock does not count the time its image lay there, its wall clock (t + off, right or
   not) shows it.  Both hold ticks below lim of one worker id; a position is a tick.  A call reads the clocks and compares
   with the anchor, as in Step, then takes a tick.  Who sees a step waits for its keeper, who asks a reference, which tells
   the truth: if it confirms the anchor's time the process lost no time, so it is no copy, and goes on by its monotonic
   clock.  Else the keeper writes first; the writer whose write is applied goes on above the limit both knew, the other ends.
   Left out: writes whose answers are late or lost (Clone has them), other worker ids to go to.                       *)
EXTENDS Integers
CONSTANTS MaxT, MaxW, W,
  OffsP, OffsC,  \* what the wall clocks of P and of C's host may be off; of C's 6 less if Shown is "apart", for there are no negative
                 \* numbers in configurations
  Gap,           \* C is restored so much later, at least
  Shown,         \* how C's wall clock stands beside its monotonic clock: "ahead" by more than a second; "apart", ahead or behind;
                 \* "still", it lay as still as the process, as in a virtual machine whose clock is not set yet, or anyhow
  Back,          \* a wall clock that is behind by more than this counts as stepped too
  Check,         \* the clocks are compared with the anchor
  Seen,          \* who sees a step: "waits", as above; "goes on" by the monotonic clock at once
  Watch,         \* going on by the monotonic clock, the wall clock is still watched: whether it moved from where it was judged
  Confirm,       \* no copy if the reference: "confirms" the anchor's time; "contradicts" the wall clock
  Leave,         \* the winner leaves the ticks that both knew
  UnderWay       \* a call may be under way when the image is taken: its clocks read, its tick not yet taken
Slack == 1
Procs == {"P","C"}
Max(a,b) == IF a > b THEN a ELSE b
VARIABLES t, image, ps, mark, w, issued, dup, left
vars == <<t, image, ps, mark, w, issued, dup, left>>
\* lost: what the monotonic clock lacks.  a: the anchor's wall time minus its monotonic time.  by: the clock in use; if it is
\* the monotonic one, judged is what the wall clock was ahead of it at the verdict
Held == [st |-> "run", off |-> 0, lost |-> 0, a |-> 0, by |-> "wall", judged |-> 0, nxt |-> 0, lim |-> W, ver |-> 1, date |-> -1]
Off == [Held EXCEPT !.st = "off"]
Init == /\ t = 0 /\ image = [at |-> -1, p |-> Off] /\ ps = [p \in Procs |-> IF p = "P" THEN Held ELSE Off]
        /\ mark = [lim |-> W, ver |-> 1] /\ w = 1 /\ issued = {} /\ dup = FALSE /\ left = FALSE
Wall(p) == t + ps[p].off
Nano(p) == t - ps[p].lost
Expected(p) == ps[p].a + Nano(p)
Abs(a) == IF a < 0 THEN -a ELSE a
Apart(q) == t + q.off - (t - q.lost)
Moved(q) == IF q.by = "wall" THEN Apart(q) > q.a + Slack \/ Apart(q) < q.a - Back ELSE Abs(Apart(q) - q.judged) > Slack
Step(p) == Moved(ps[p]) /\ (IF ps[p].by = "wall" THEN Check ELSE Watch)
Pass == t < MaxT /\ t' = t+1 /\ UNCHANGED <<image, ps, mark, w, issued, dup, left>>
Jump(x) == ps["P"].off # x /\ ps' = [ps EXCEPT !["P"].off = x] /\ UNCHANGED <<t, image, mark, w, issued, dup, left>>
Image == /\ image.at = -1 /\ ps["P"].st = "run" /\ (UnderWay \/ ps["P"].date = -1)
         /\ image' = [at |-> t, p |-> ps["P"]] /\ UNCHANGED <<t, ps, mark, w, issued, dup, left>>
\* how the wall clock of what was restored stands
Stands(q) == CASE Shown = "ahead" /\ q.by = "wall" -> Apart(q) > q.a + Slack
               [] Shown = "apart" /\ q.by = "wall" -> Abs(Apart(q) - q.a) > Slack
               [] Shown # "still" /\ q.by = "nano" -> Abs(Apart(q) - q.judged) > Slack
               [] Shown = "still" -> TRUE
Resume(x) == LET lost == t - image.at
                 q == [image.p EXCEPT !.off = CASE Shown = "ahead" -> x [] Shown = "apart" -> x - 6 [] Shown = "still" -> @ - lost, !.lost = lost] IN
             /\ image.at >= 0 /\ lost >= Gap /\ (Gap > Slack => Stands(q))
             /\ ps' = [ps EXCEPT !["C"] = q] /\ image' = [at |-> -2, p |-> Off] /\ UNCHANGED <<t, mark, w, issued, dup, left>>
\* a call: its first half reads the clocks
Read(p) == /\ ps[p].st = "run" /\ ps[p].date = -1
           /\ ps' = [ps EXCEPT ![p] = IF Step(p) /\ Seen = "waits" THEN [@ EXCEPT !.st = "wait"]
                                      ELSE IF Step(p) \/ ps[p].by = "nano" THEN [@ EXCEPT !.date = Max(0, Expected(p))]
                                      ELSE [@ EXCEPT !.date = Max(0, Wall(p))]]
           /\ UNCHANGED <<t, image, mark, w, issued, dup, left>>
Take(p) == /\ ps[p].st = "run" /\ ps[p].date # -1
           /\ LET x == Max(ps[p].nxt, ps[p].date) IN
              IF x >= ps[p].lim THEN ps' = [ps EXCEPT ![p].date = -1] /\ UNCHANGED <<issued, dup>>
              ELSE /\ dup' = (dup \/ x \in issued) /\ issued' = issued \cup {x}
                   /\ ps' = [ps EXCEPT ![p].nxt = x+1, ![p].date = -1]
           /\ UNCHANGED <<t, image, mark, w, left>>
\* a write is applied, or shows another's bytes
Write(p, lim, then) == IF mark.ver = ps[p].ver
                       THEN /\ w < MaxW /\ w' = w+1 /\ mark' = [lim |-> lim, ver |-> w+1]
                            /\ ps' = [ps EXCEPT ![p] = [then EXCEPT !.lim = lim, !.ver = w+1]]
                       ELSE ps' = [ps EXCEPT ![p].st = "end"] /\ UNCHANGED <<mark, w>>
Settle(p) ==
  /\ ps[p].st = "wait"
  /\ LET nano == [ps[p] EXCEPT !.st = "run", !.by = "nano", !.judged = Wall(p) - Nano(p)]
         wall == [ps[p] EXCEPT !.st = "run", !.by = "wall", !.a = Wall(p) - Nano(p)]
         right == Wall(p) = t
         none == IF Confirm = "confirms" THEN t <= Expected(p) + Slack ELSE ~right IN
     IF none THEN ps' = [ps EXCEPT ![p] = nano] /\ UNCHANGED <<mark, w, left>>
     ELSE /\ left' = TRUE
          /\ LET then == IF right THEN wall ELSE nano IN
             Write(p, ps[p].lim + W, IF Leave THEN [then EXCEPT !.nxt = Max(@, ps[p].lim)] ELSE then)
  /\ UNCHANGED <<t, image, issued, dup>>
\* the keeper looks at the clock before it extends
Extend(p) == /\ ps[p].st = "run" /\ ps[p].lim < t + W
             /\ IF Step(p) /\ Seen = "waits"
                THEN ps' = [ps EXCEPT ![p].st = "wait"] /\ UNCHANGED <<mark, w>>
                ELSE Write(p, t + W, ps[p])
             /\ UNCHANGED <<t, image, issued, dup, left>>
Next == Pass \/ Image \/ (\E x \in OffsP : Jump(x)) \/ (\E x \in OffsC : Resume(x))
        \/ \E p \in Procs : Read(p) \/ Take(p) \/ Settle(p) \/ Extend(p)
Spec == Init /\ [][Next]_vars
NoDup == ~dup
\* a step of the wall clock alone makes no process leave its ticks
NoEffect == left => image.at # -1
=======================================================================

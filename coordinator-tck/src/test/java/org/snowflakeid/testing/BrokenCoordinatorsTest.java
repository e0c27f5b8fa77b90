// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.testing.MemoryStore.Namespace;
import org.snowflakeid.testing.MemoryStore.Owner;

/**
 * The contract is worth something only if coordinators that break a promise fail it. In the package of the coordinator in memory,
 * whose rules it breaks.
 */
class BrokenCoordinatorsTest {

    @TestFactory
    Stream<DynamicTest> failTheContract() {
        return Stream.of(
                fails("extends by a blind put", BlindExtension::new, "extendsNothingElse"),
                fails("compares the limit only", ComparesLimit::new, "comparesEveryCharacterNotOnlyTheLimit"),
                fails("claims without comparing meta", ClaimIgnoresMeta::new, "comparesMetaAtEveryWriteOfAMark"),
                fails("extends without comparing meta", ExtensionIgnoresMeta::new, "comparesMetaAtEveryWriteOfAMark"),
                fails("releases without comparing meta", ReleaseIgnoresMeta::new, "comparesMetaAtEveryWriteOfAMark"),
                fails("looks at meta before it writes", LooksAtMetaBefore::new, "grantsNothingOnceTheRecordHasChanged"),
                fails("claims over a present owner", StealingClaim::new, "claimsNothingWhileAnOwnerIsPresent"),
                fails("claims in two steps", TwoStepClaim::new, "losesNoUpdateUnderContention"),
                fails("writes the mark of a refused claim", HalfClaim::new, "claimsNothingWhileAnOwnerIsPresent"),
                fails("creates an owner by extending", OwnerByExtension::new, "extensionNeverCreatesAnOwner"),
                fails("believes any owner is its own", AnyOwnerIsMine::new, "extensionOfAnothersMarkRenewsNoOwner"),
                fails(
                        "takes any owner that it wrote for the one that is meant",
                        AnyOwnOwnerWillDo::new,
                        "whatIsDoneForAnotherOwnerLeavesTheOwnerAlone"),
                fails(
                        "renews another's owner without a word",
                        RenewsInSilence::new,
                        "anExtensionForAnotherOwnerRenewsNothing"),
                fails("releases another's owner", ReleasesForeignOwner::new, "releaseLeavesAForeignOwnerAlone"),
                fails("never lets an owner expire", EternalOwner::new, "anOwnerVanishesWhenItIsNotExtended"),
                fails("renews by reading", RenewsByReading::new, "anOwnerVanishesWhenItIsNotExtended"),
                fails("renews by a refused extension", RenewsByRefusal::new, "whatFailsRenewsNothing"),
                fails("does not renew by extending", NeverRenews::new, "anOwnerLivesAsLongAsItIsExtended"),
                fails("abandons all it has", AbandonsAll::new, "abandoningOneWorkerIdLeavesTheOthersOfTheSameProcess"),
                fails("retries behind core's back", Retries::new, "sendsAWriteOnceAndDoesNotHideWhatItCantKnow"),
                fails(
                        "calls the unknown a failure",
                        CertainAboutTheUnknown::new,
                        "sendsAWriteOnceAndDoesNotHideWhatItCantKnow"),
                fails("ignores the timeout", IgnoresItsTimeout::new, "saysInTimeThatTheServerIsAway"),
                fails("connects without a timeout", ConnectsForEver::new, "saysInTimeThatNoConnectionCanBeMade"),
                fails("shortens owners", ShortensOwners::new, "keepsLongMarksAndOwners"),
                fails("tidies values", TidiesValues::new, "keepsValuesExactly"),
                fails("hides what it saw", HidesWhatItSaw::new, "showsItsOwnWriteToAnExtensionSentAgain"),
                fails("swallows interrupts", SwallowsInterrupts::new, "anInterruptEndsACallAndKeepsTheFlag"),
                fails("reads only what is there", SkipsEmptySlots::new, "readsExactlyTheRangeAskedForInAscendingOrder"),
                fails("shares a namespace", OneNamespace::new, "keepsNamespacesApart"),
                fails(
                        "extends several by blind puts",
                        BlindExtensions::new,
                        "aMarkThatIsNotAsExpectedCostsTheOthersNothing"),
                fails(
                        "extends several without comparing meta",
                        ExtensionsIgnoreMeta::new,
                        "comparesMetaWhereSeveralAreExtended"),
                fails(
                        "calls extensions rejected that it made",
                        DeniesWhatItDid::new,
                        "aMarkThatIsNotAsExpectedCostsTheOthersNothing"),
                fails(
                        "shows of several what was expected",
                        HidesWhatItSawOfSeveral::new,
                        "aMarkThatIsNotAsExpectedCostsTheOthersNothing"),
                fails(
                        "renews one owner of several",
                        RenewsOneOfSeveral::new,
                        "ownersLiveAsLongAsTheyAreExtendedTogether"),
                fails(
                        "believes any owner of several is its own",
                        AllOwnersAreMine::new,
                        "extendsSeveralWithoutRenewingTheOwnersOfAnother"),
                fails(
                        "tells the time when it reads, and not when it extends",
                        ExtendsWithoutTheTime::new,
                        "tellsTheTimeWithAnExtensionIfTheServerHasAClock"),
                fails("answers in an order of its own", AnswersInAnyOrder::new, "extendsSeveralThatItClaimed"),
                fails("extends a few of many", ExtendsAFew::new, "extendsAsManyAsOneGeneratorMayHave"),
                fails(
                        "forgets what is beyond one transaction",
                        ForgetsTheRest::new,
                        "extendsMoreThanFitOneTransaction"),
                fails("can't extend none", ChokesOnNone::new, "extendsOneOrNoneAsItExtendsSeveral"),
                fails(
                        "retries several behind core's back",
                        RetriesSeveral::new,
                        "extensionsWhoseAnswersWereLostFindThemselves"),
                fails(
                        "calls the unknown of several a failure",
                        CertainAboutSeveral::new,
                        "extensionsWhoseAnswersWereLostFindThemselves"),
                fails(
                        "swallows the interrupts of several",
                        SwallowsInterruptsOfSeveral::new,
                        "anInterruptEndsTheExtensionOfSeveralAndKeepsTheFlag"),
                fails("deletes its marks at the end", DeletesMarks::new, "closingReleasesNoMarkAndLeavesOthersAlone"));
    }

    @AfterAll
    static void mend() {
        ContractSubject.factory = MemoryCoordinator::new;
    }

    private static DynamicTest fails(String what, ContractSubject.Factory factory, String expected) {
        return dynamicTest(what, () -> {
            ContractSubject.factory = factory;

            List<String> failed = EngineTestKit.engine("junit-jupiter")
                    .selectors(selectMethod(ContractSubject.class, expected))
                    .execute()
                    .testEvents()
                    .failed()
                    .map(Event::getTestDescriptor)
                    .map(test -> test.getDisplayName().replace("()", ""))
                    .toList();

            assertThat(failed).containsExactly(expected);
        });
    }

    private static class BlindExtension extends MemoryCoordinator {
        BlindExtension(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public CasResult extend(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
            return store.write(
                    namespace,
                    timeout,
                    space -> same(meta, space.meta)
                            ? put(space, id, next, renewOwner(space, id, owner))
                            : space.rejected(id));
        }
    }

    private static class ComparesLimit extends MemoryCoordinator {
        ComparesLimit(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        boolean same(@Nullable Stored expected, @Nullable Stored actual) {
            return expected == null
                    ? actual == null
                    : actual != null && limit(expected).equals(limit(actual));
        }
    }

    private static String limit(Stored mark) {
        return mark.value().replaceFirst(" .*", "");
    }

    private static class ClaimIgnoresMeta extends MemoryCoordinator {
        ClaimIgnoresMeta(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public CasResult claim(
                int id,
                @Nullable Stored mark,
                String next,
                String owner,
                boolean evict,
                Stored meta,
                Duration timeout) {
            return super.claim(id, mark, next, owner, evict, current(this, meta), timeout);
        }
    }

    private static class ExtensionIgnoresMeta extends MemoryCoordinator {
        ExtensionIgnoresMeta(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public CasResult extend(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
            return super.extend(id, mark, next, owner, current(this, meta), timeout);
        }
    }

    private static class LooksAtMetaBefore extends MemoryCoordinator {
        LooksAtMetaBefore(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public CasResult extend(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
            Stored seen = current(this, meta);
            LockSupport.parkNanos(1_000_000);
            return seen.value().equals(meta.value())
                    ? super.extend(id, mark, next, owner, current(this, meta), timeout)
                    : super.extend(id, mark, next, owner, meta, timeout);
        }
    }

    private static class ReleaseIgnoresMeta extends MemoryCoordinator {
        ReleaseIgnoresMeta(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public CasResult release(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
            return super.release(id, mark, next, owner, current(this, meta), timeout);
        }
    }

    private static Stored current(MemoryCoordinator coordinator, Stored otherwise) {
        String meta = coordinator.store.meta(coordinator.namespace);
        return meta == null ? otherwise : new Stored(meta, 0);
    }

    private static class StealingClaim extends MemoryCoordinator {
        StealingClaim(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public CasResult claim(
                int id,
                @Nullable Stored mark,
                String next,
                String owner,
                boolean evict,
                Stored meta,
                Duration timeout) {
            return super.claim(id, mark, next, owner, true, meta, timeout);
        }
    }

    private static class TwoStepClaim extends MemoryCoordinator {
        TwoStepClaim(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public CasResult claim(
                int id,
                @Nullable Stored mark,
                String next,
                String owner,
                boolean evict,
                Stored meta,
                Duration timeout) {
            Slot seen = read(id, id, timeout).slots().get(0);
            if (!same(mark, seen.mark()) || (!evict && seen.owner() != null)) {
                return new CasResult.Rejected(meta, seen);
            }
            LockSupport.parkNanos(1_000_000);
            Stored now = store.mark(namespace, id) == null ? null : new Stored(store.mark(namespace, id), 0);
            return super.claim(id, now, next, owner, true, meta, timeout);
        }
    }

    private static class HalfClaim extends MemoryCoordinator {
        HalfClaim(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public CasResult claim(
                int id,
                @Nullable Stored mark,
                String next,
                String owner,
                boolean evict,
                Stored meta,
                Duration timeout) {
            CasResult result = super.claim(id, mark, next, owner, evict, meta, timeout);
            if (result instanceof CasResult.Rejected) {
                store.write(
                        namespace,
                        timeout,
                        space -> same(mark, space.marks.get(id)) ? put(space, id, next, false) : space.rejected(id));
            }
            return result;
        }
    }

    private static class OwnerByExtension extends MemoryCoordinator {
        OwnerByExtension(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        boolean renewOwner(Namespace space, int id, String owner) {
            if (leases.containsKey(owner)) {
                space.owners.computeIfAbsent(id, absent -> new Owner(owner, store.expiry(timeToLive)));
            }
            return super.renewOwner(space, id, owner);
        }
    }

    private static class AnyOwnerIsMine extends MemoryCoordinator {
        AnyOwnerIsMine(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        boolean renewOwner(Namespace space, int id, String owner) {
            return space.owners.get(id) != null;
        }
    }

    /** Goes by what it claimed, not by what it is asked about. */
    private static class AnyOwnOwnerWillDo extends MemoryCoordinator {
        AnyOwnOwnerWillDo(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        boolean isPresent(Namespace space, int id, String owner) {
            Owner present = space.owners.get(id);
            return present != null && leases.containsKey(present.value());
        }
    }

    private static class RenewsInSilence extends MemoryCoordinator {
        RenewsInSilence(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        boolean renewOwner(Namespace space, int id, String owner) {
            Owner present = space.owners.get(id);
            boolean unused = present != null && super.renewOwner(space, id, present.value());
            return isPresent(space, id, owner);
        }
    }

    private static class ReleasesForeignOwner extends MemoryCoordinator {
        ReleasesForeignOwner(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        void removeOwner(Namespace space, int id, String owner) {
            space.owners.remove(id);
        }
    }

    private static class EternalOwner extends MemoryCoordinator {
        EternalOwner(MemoryStore store, CoordinatorConfig config) {
            super(
                    store,
                    new CoordinatorConfig(
                            config.generator(), config.namespace(), Duration.ofDays(999), config.settings()));
        }
    }

    private static class RenewsByReading extends MemoryCoordinator {
        RenewsByReading(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public Snapshot read(int fromId, int toId, Duration timeout) {
            store.write(namespace, timeout, space -> {
                leases.keySet().forEach(owner -> renewOwner(space, fromId, owner));
                return space.rejected(fromId);
            });
            return super.read(fromId, toId, timeout);
        }
    }

    private static class RenewsByRefusal extends MemoryCoordinator {
        RenewsByRefusal(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public CasResult extend(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
            CasResult result = super.extend(id, mark, next, owner, meta, timeout);
            return result instanceof CasResult.Rejected
                    ? store.write(namespace, timeout, space -> {
                        renewOwner(space, id, owner);
                        return result;
                    })
                    : result;
        }
    }

    private static class NeverRenews extends MemoryCoordinator {
        NeverRenews(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        boolean renewOwner(Namespace space, int id, String owner) {
            return isPresent(space, id, owner);
        }
    }

    private static class AbandonsAll extends MemoryCoordinator {
        AbandonsAll(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public void abandon(int id, String owner, Duration timeout) {
            for (int each = 0; each < 10; each++) {
                String present = store.owner(namespace, each);
                if (present != null && leases.containsKey(present)) {
                    super.abandon(each, present, timeout);
                }
            }
        }
    }

    private static class Retries extends MemoryCoordinator {
        Retries(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public CasResult extend(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
            CasResult first = super.extend(id, mark, next, owner, meta, timeout);
            if (first instanceof CasResult.Unknown) {
                MemoryFixture.mend(store);
                return super.extend(id, mark, next, owner, meta, timeout);
            }
            return first;
        }
    }

    private static class CertainAboutTheUnknown extends MemoryCoordinator {
        CertainAboutTheUnknown(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public CasResult extend(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
            CasResult result = super.extend(id, mark, next, owner, meta, timeout);
            if (result instanceof CasResult.Unknown) {
                throw new CoordinatorException("failed", false);
            }
            return result;
        }
    }

    private static class IgnoresItsTimeout extends MemoryCoordinator {
        IgnoresItsTimeout(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public CasResult extend(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
            return super.extend(id, mark, next, owner, meta, Duration.ofMinutes(1));
        }
    }

    private static class ConnectsForEver extends MemoryCoordinator {
        private boolean connected;

        ConnectsForEver(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public Snapshot read(int fromId, int toId, Duration timeout) {
            Snapshot snapshot = super.read(fromId, toId, connected ? timeout : Duration.ofMinutes(1));
            connected = true;
            return snapshot;
        }

        @Override
        public CasResult writeMeta(@Nullable Stored expected, String next, Duration timeout) {
            connected = true;
            return super.writeMeta(expected, next, timeout);
        }
    }

    private static class ShortensOwners extends MemoryCoordinator {
        ShortensOwners(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public CasResult claim(
                int id,
                @Nullable Stored mark,
                String next,
                String owner,
                boolean evict,
                Stored meta,
                Duration timeout) {
            String shortened = owner.substring(0, Math.min(255, owner.length()));
            return super.claim(id, mark, next, shortened, evict, meta, timeout);
        }
    }

    private static class TidiesValues extends MemoryCoordinator {
        TidiesValues(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public CasResult writeMeta(@Nullable Stored expected, String next, Duration timeout) {
            return super.writeMeta(expected, next.strip(), timeout);
        }
    }

    private static class HidesWhatItSaw extends MemoryCoordinator {
        HidesWhatItSaw(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public CasResult extend(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
            CasResult result = super.extend(id, mark, next, owner, meta, timeout);
            return result instanceof CasResult.Rejected
                    ? new CasResult.Rejected(meta, new Slot(id, mark, null))
                    : result;
        }
    }

    private static class SwallowsInterrupts extends MemoryCoordinator {
        SwallowsInterrupts(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public CasResult extend(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
            CasResult result = super.extend(id, mark, next, owner, meta, timeout);
            Thread.interrupted();
            return result;
        }
    }

    private static class SkipsEmptySlots extends MemoryCoordinator {
        SkipsEmptySlots(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public Snapshot read(int fromId, int toId, Duration timeout) {
            Snapshot all = super.read(fromId, toId, timeout);
            List<Slot> slots =
                    all.slots().stream().filter(slot -> slot.mark() != null).toList();
            return new Snapshot(all.meta(), fromId == toId ? all.slots() : slots, all.serverTime());
        }
    }

    private static class OneNamespace extends MemoryCoordinator {
        OneNamespace(MemoryStore store, CoordinatorConfig config) {
            super(
                    store,
                    new CoordinatorConfig(
                            config.generator(),
                            config.namespace().replaceFirst("/.*", ""),
                            config.timeToLive(),
                            config.settings()));
        }
    }

    private static class DeletesMarks extends MemoryCoordinator {
        DeletesMarks(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public void close() {
            store.write(namespace, Duration.ZERO, space -> {
                space.marks.clear();
                return space.rejected(0);
            });
        }
    }

    private static boolean ofRejected(List<CasResult> results) {
        return results.stream().allMatch(CasResult.Rejected.class::isInstance);
    }

    private static class BlindExtensions extends MemoryCoordinator {
        BlindExtensions(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public List<CasResult> extendAll(List<Extension> extensions, Stored meta, Duration timeout) {
            List<Extension> asStored = extensions.stream()
                    .map(each -> {
                        String now = store.mark(namespace, each.id());
                        return new Extension(
                                each.id(), now == null ? each.mark() : new Stored(now, 0), each.next(), each.owner());
                    })
                    .toList();
            return super.extendAll(asStored, meta, timeout);
        }
    }

    private static class ExtensionsIgnoreMeta extends MemoryCoordinator {
        ExtensionsIgnoreMeta(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public List<CasResult> extendAll(List<Extension> extensions, Stored meta, Duration timeout) {
            return super.extendAll(extensions, current(this, meta), timeout);
        }
    }

    private static class DeniesWhatItDid extends MemoryCoordinator {
        DeniesWhatItDid(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public List<CasResult> extendAll(List<Extension> extensions, Stored meta, Duration timeout) {
            List<CasResult> results = super.extendAll(extensions, meta, timeout);
            if (!ofRejected(results)) {
                return results;
            }
            for (Extension each : extensions) {
                CasResult ignored = extend(each.id(), each.mark(), each.next(), each.owner(), meta, timeout);
            }
            return results;
        }
    }

    private static class HidesWhatItSawOfSeveral extends MemoryCoordinator {
        HidesWhatItSawOfSeveral(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public List<CasResult> extendAll(List<Extension> extensions, Stored meta, Duration timeout) {
            List<CasResult> results = super.extendAll(extensions, meta, timeout);
            return ofRejected(results)
                    ? extensions.stream()
                            .<CasResult>map(each ->
                                    new CasResult.Rejected(meta, new Slot(each.id(), each.mark(), each.owner())))
                            .toList()
                    : results;
        }
    }

    private static class RenewsOneOfSeveral extends MemoryCoordinator {
        RenewsOneOfSeveral(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        private boolean several;

        @Override
        public List<CasResult> extendAll(List<Extension> extensions, Stored meta, Duration timeout) {
            several = extensions.size() > 1;
            List<CasResult> results = super.extendAll(extensions, meta, timeout);
            several = false;
            return results;
        }

        @Override
        boolean renewOwner(Namespace space, int id, String owner) {
            return (several && id > 100) ? isPresent(space, id, owner) : super.renewOwner(space, id, owner);
        }
    }

    private static class AllOwnersAreMine extends MemoryCoordinator {
        AllOwnersAreMine(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public List<CasResult> extendAll(List<Extension> extensions, Stored meta, Duration timeout) {
            return super.extendAll(extensions, meta, timeout).stream()
                    .map(result -> result instanceof CasResult.Applied applied
                            ? new CasResult.Applied(applied.written(), true, applied.serverTime())
                            : result)
                    .toList();
        }
    }

    private static class ExtendsWithoutTheTime extends MemoryCoordinator {
        ExtendsWithoutTheTime(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public CasResult extend(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
            return super.extend(id, mark, next, owner, meta, timeout) instanceof CasResult.Applied applied
                    ? new CasResult.Applied(applied.written(), applied.ownerHeld())
                    : new CasResult.Rejected(null, null);
        }
    }

    private static class AnswersInAnyOrder extends MemoryCoordinator {
        AnswersInAnyOrder(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public List<CasResult> extendAll(List<Extension> extensions, Stored meta, Duration timeout) {
            List<CasResult> results = new ArrayList<>(super.extendAll(extensions, meta, timeout));
            Collections.reverse(results);
            return results;
        }
    }

    private static class ExtendsAFew extends MemoryCoordinator {
        ExtendsAFew(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public List<CasResult> extendAll(List<Extension> extensions, Stored meta, Duration timeout) {
            return super.extendAll(extensions.subList(0, Math.min(63, extensions.size())), meta, timeout);
        }
    }

    private static class ForgetsTheRest extends MemoryCoordinator {
        ForgetsTheRest(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public List<CasResult> extendAll(List<Extension> extensions, Stored meta, Duration timeout) {
            List<CasResult> results = new ArrayList<>(
                    super.extendAll(extensions.subList(0, Math.min(128, extensions.size())), meta, timeout));
            extensions.stream()
                    .skip(128)
                    .forEach(each -> results.add(new CasResult.Applied(new Stored(each.next(), 0), true)));
            return results;
        }
    }

    private static class ChokesOnNone extends MemoryCoordinator {
        ChokesOnNone(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public List<CasResult> extendAll(List<Extension> extensions, Stored meta, Duration timeout) {
            if (extensions.isEmpty()) {
                throw new CoordinatorException("an empty transaction", false);
            }
            return super.extendAll(extensions, meta, timeout);
        }
    }

    private static class RetriesSeveral extends MemoryCoordinator {
        RetriesSeveral(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public List<CasResult> extendAll(List<Extension> extensions, Stored meta, Duration timeout) {
            List<CasResult> first = super.extendAll(extensions, meta, timeout);
            if (first.stream().anyMatch(CasResult.Unknown.class::isInstance)) {
                MemoryFixture.mend(store);
                return super.extendAll(extensions, meta, timeout);
            }
            return first;
        }
    }

    private static class CertainAboutSeveral extends MemoryCoordinator {
        CertainAboutSeveral(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public List<CasResult> extendAll(List<Extension> extensions, Stored meta, Duration timeout) {
            List<CasResult> results = super.extendAll(extensions, meta, timeout);
            if (results.stream().anyMatch(CasResult.Unknown.class::isInstance)) {
                throw new CoordinatorException("failed", false);
            }
            return results;
        }
    }

    private static class SwallowsInterruptsOfSeveral extends MemoryCoordinator {
        SwallowsInterruptsOfSeveral(MemoryStore store, CoordinatorConfig config) {
            super(store, config);
        }

        @Override
        public List<CasResult> extendAll(List<Extension> extensions, Stored meta, Duration timeout) {
            List<CasResult> results = super.extendAll(extensions, meta, timeout);
            boolean unused = Thread.interrupted();
            return results;
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseKeepAliveRequest;
import io.etcd.jetcd.api.LeaseKeepAliveResponse;
import io.etcd.jetcd.api.LeaseRevokeRequest;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.TxnResponse;
import io.grpc.Deadline;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.WorkerCoordinator.Extension;

/**
 * etcd's leases, under which owner entries are written, one each: granted for a claim, kept alive by extensions, and revoked so that
 * an entry goes at once and a claim that is still on its way is refused.
 */
final class OwnerLeases {
    private static final System.Logger LOG = System.getLogger(OwnerLeases.class.getName());

    /** The least time that an extension leaves to keep leases alive, however long its transaction took. */
    private static final long MIN_RENEWAL_MILLIS = 200;

    private final EtcdConnection connection;
    private final Runnable lossHint;
    private final String generator;
    private final long timeToLiveSeconds;

    /** Leases of claims whose outcome is unknown, each with what the claim writes as the owner, if it does. */
    private final Map<Long, String> doubtful = new HashMap<>();

    /** A lease whose claim was rejected, so that certainly nothing hangs on it. */
    private @Nullable Lease spare;

    private boolean renewalFails;

    private record Lease(long id, long grantedNanos) {}

    interface Claim {
        TxnResponse send(long lease) throws EtcdFailure;
    }

    OwnerLeases(CoordinatorConfig config, EtcdConnection connection, Runnable lossHint) {
        this.connection = connection;
        this.lossHint = lossHint;
        this.generator = config.generator();
        this.timeToLiveSeconds = (config.timeToLive().toMillis() + 999) / 1_000;
    }

    /** Sends a claim, whose owner entry is to hang on the lease that it is handed, and keeps in mind how it ended. */
    TxnResponse claim(String owner, Deadline deadline, Claim claim) throws EtcdFailure {
        Lease lease = unused(deadline);
        doubtful.put(lease.id(), owner);
        try {
            TxnResponse response = claim.send(lease.id());
            doubtful.remove(lease.id());
            spare = response.getSucceeded() ? null : lease;
            return response;
        } catch (EtcdFailure e) {
            if (e.nothingChanged()) {
                doubtful.remove(lease.id());
                spare = e.leaseNotFound() ? null : lease;
            }
            throw e;
        }
    }

    /** A lease on which nothing hangs, with its time to live still before it. */
    private Lease unused(Deadline deadline) throws EtcdFailure {
        Lease unused = spare;
        spare = null;
        long freshNanos = TimeUnit.SECONDS.toNanos(timeToLiveSeconds) / 10;
        if (unused != null && System.nanoTime() - unused.grantedNanos() < freshNanos) {
            return unused;
        }
        long now = System.nanoTime();
        try {
            return new Lease(
                    connection
                            .call(
                                    deadline,
                                    EtcdMethods.GRANT,
                                    LeaseGrantRequest.newBuilder()
                                            .setTTL(timeToLiveSeconds)
                                            .build())
                            .getID(),
                    now);
        } catch (EtcdFailure e) {
            // The claim itself was not even sent; the lease, if it was granted, expires.
            throw e.withNothingChanged();
        }
    }

    /** Which of the owner entries are ours and stay. Keeps their leases alive at the same time. */
    List<Boolean> keepAlive(List<Extension> extensions, List<RangeResponse> owners, Deadline deadline) {
        List<LeaseKeepAliveRequest> renewals = new ArrayList<>();
        List<Boolean> ours = new ArrayList<>();
        for (int i = 0; i < extensions.size(); i++) {
            String owner = extensions.get(i).owner();
            // A claim that is still on its way expects the mark that was just replaced.
            doubtful.values().removeIf(owner::equals);
            boolean own = owner.equals(Transactions.value(owners.get(i)));
            ours.add(own);
            if (own) {
                long lease = owners.get(i).getKvs(0).getLease();
                renewals.add(LeaseKeepAliveRequest.newBuilder().setID(lease).build());
            }
        }
        boolean late = deadline.timeRemaining(TimeUnit.MILLISECONDS) < MIN_RENEWAL_MILLIS;
        List<EtcdConnection.Answer<LeaseKeepAliveResponse>> answers = connection.callAll(
                late ? Deadline.after(MIN_RENEWAL_MILLIS, TimeUnit.MILLISECONDS) : deadline,
                EtcdMethods.KEEP_ALIVE,
                renewals);
        reportRenewals(answers.stream()
                .map(EtcdConnection.Answer::failure)
                .filter(failure -> failure != null && !failure.leaseNotFound())
                .findFirst());
        Iterator<EtcdConnection.Answer<LeaseKeepAliveResponse>> each = answers.iterator();
        return ours.stream().map(own -> own && isThere(each.next())).toList();
    }

    /** Without an answer the entry is still there, as the transaction has just seen. */
    private static boolean isThere(EtcdConnection.Answer<LeaseKeepAliveResponse> answer) {
        EtcdFailure failure = answer.failure();
        LeaseKeepAliveResponse renewed = answer.value();
        return failure == null ? renewed != null && renewed.getTTL() > 0 : !failure.leaseNotFound();
    }

    /** One that failed is tried again, by an extension, sooner than the next extension is due. */
    private void reportRenewals(Optional<EtcdFailure> failure) {
        boolean failed = failure.isPresent();
        if (failed) {
            connection.later(TimeUnit.SECONDS.toNanos(timeToLiveSeconds) / 6, lossHint);
        }
        if (failed != renewalFails) {
            renewalFails = failed;
            String what = failure.map(e -> "the lease of an owner entry was not renewed and ends within "
                            + timeToLiveSeconds + " s. The next extensions try again. " + e.getMessage())
                    .orElse("the leases of owner entries are renewed again");
            LOG.log(failed ? Level.WARNING : Level.INFO, "snowflake '" + generator + "': " + what);
        }
    }

    /** A claim under a revoked lease is refused as a whole, whenever it arrives. */
    void revokeDoubtful(String owner, Deadline deadline) {
        doubtful.forEach((lease, of) -> {
            if (of.equals(owner)) {
                revoke(lease, deadline);
            }
        });
        doubtful.values().removeIf(owner::equals);
    }

    void revoke(long lease, Deadline deadline) {
        try {
            var unused = connection.call(
                    deadline,
                    EtcdMethods.REVOKE,
                    LeaseRevokeRequest.newBuilder().setID(lease).build());
        } catch (EtcdFailure e) {
            LOG.log(Level.DEBUG, () -> "a lease is left to expire: " + e.getMessage());
        }
    }
}

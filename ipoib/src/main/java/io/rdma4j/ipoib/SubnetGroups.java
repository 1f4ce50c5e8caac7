// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ipoib;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.sa.SaClient;
import io.rdma4j.sa.SaRecord;
import io.rdma4j.sa.SaRegistration;
import io.rdma4j.sa.SaResult;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.Rate;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.sa.McMemberRecord;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The multicast groups of a device, as the subnet administrator knows them ({@code ipoib_multicast.c}). The broadcast
 * group comes first: the subnet manager has made it, and the others copy its parameters. A group that cannot be joined
 * is tried again after 1 s, then after twice the time, up to 16 s.
 */
final class SubnetGroups {
    private static final long FIRST_RETRY_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long LAST_RETRY_NS = TimeUnit.SECONDS.toNanos(16);
    private static final int FULL_MEMBER = 1;

    /** Groups have the P_Key of full members. */
    private static final int FULL_MEMBERSHIP = 0x8000;

    /** What a group copies from the broadcast group (RFC 4391, 10). */
    private static final List<MadField> COPIED = List.of(
            McMemberRecord.QKEY,
            McMemberRecord.MTU_SELECTOR,
            McMemberRecord.MTU,
            McMemberRecord.TRAFFIC_CLASS,
            McMemberRecord.RATE_SELECTOR,
            McMemberRecord.RATE,
            McMemberRecord.SL,
            McMemberRecord.FLOW_LABEL,
            McMemberRecord.HOP_LIMIT);

    private final SaClient sa;
    private final IpoibQp qp;
    private final int port;
    private final int pkey;
    private final Peer broadcast;
    private final NanoClock clock;
    private final Consumer<Runnable> tasks;
    private final Consumer<Peer> onResult;
    private final Map<Peer, Membership> memberships = new LinkedHashMap<>();

    /** The record of the broadcast group; null while it is not joined. */
    private @Nullable SaRecord parameters;

    private long failed;

    /** A group that is joined, or to be joined. */
    private static final class Membership {
        final Peer peer;

        @Nullable
        SaRegistration registration;

        /** Of the record; 0 while the group is not joined. */
        int lid;

        long retryNs = FIRST_RETRY_NS;
        long deadlineNs = Deadline.NEVER;

        Membership(Peer peer) {
            this.peer = peer;
        }
    }

    /**
     * @param tasks runs a task by the owner of the loop; any thread
     * @param onResult gets a group that was joined or not
     */
    SubnetGroups(
            SaClient sa,
            IpoibQp qp,
            int port,
            int pkey,
            Peer broadcast,
            NanoClock clock,
            Consumer<Runnable> tasks,
            Consumer<Peer> onResult) {
        this.sa = sa;
        this.qp = qp;
        this.port = port;
        this.pkey = pkey;
        this.broadcast = broadcast;
        this.clock = clock;
        this.tasks = tasks;
        this.onResult = onResult;
    }

    /** Number of joins that failed. */
    long failed() {
        return failed;
    }

    /** The record of the broadcast group; null while it is not joined. */
    @Nullable
    SaRecord parameters() {
        return parameters;
    }

    boolean isMember(Peer group) {
        return memberships.containsKey(group);
    }

    /** Joins a group, unless that is done or under way. */
    void join(Peer group) {
        if (!memberships.containsKey(group)) {
            Membership membership = new Membership(group);
            memberships.put(group, membership);
            request(membership);
        }
    }

    /** Leaves a group, if it is joined. */
    void leave(Peer group) {
        Membership membership = memberships.remove(group);
        if (membership != null) {
            end(membership);
        }
    }

    void leaveAll() {
        List<Membership> all = new ArrayList<>(memberships.values());
        memberships.clear();
        all.forEach(this::end);
        parameters = null;
    }

    private void end(Membership membership) {
        detach(membership);
        if (membership.registration != null) {
            membership.registration.close();
        }
    }

    private void detach(Membership membership) {
        if (membership.lid != 0) {
            qp.detach(membership.peer.address, membership.lid);
            membership.lid = 0;
        }
        qp.retire(membership.peer.forgetPath());
    }

    private void request(Membership membership) {
        membership.deadlineNs = Deadline.NEVER;
        if (membership.peer != broadcast && parameters == null) {
            return; // joined after the broadcast group
        }
        try {
            membership.registration =
                    sa.join(record(membership), result -> tasks.accept(() -> answered(membership, result)));
        } catch (RdmaException noAdministrator) {
            failed(membership);
        }
    }

    private SaRecord record(Membership membership) {
        SaRecord record = SaRecord.of(MadAttribute.MC_MEMBER_RECORD)
                .set(McMemberRecord.MGID, membership.peer.address.gid())
                .set(McMemberRecord.PKEY, pkey | FULL_MEMBERSHIP)
                .set(McMemberRecord.JOIN_STATE, FULL_MEMBER);
        SaRecord copied = parameters;
        if (membership.peer != broadcast && copied != null) {
            COPIED.forEach(field -> record.set(field, copied.get(field)));
        }
        return record;
    }

    private void answered(Membership membership, SaResult result) {
        if (memberships.get(membership.peer) != membership) {
            return;
        }
        detach(membership);
        if (result.isSuccess()) {
            joined(membership, result.records().getFirst());
        } else if (membership.registration != null && result.error() == Errno.ENETRESET) {
            return; // the client joins again
        } else {
            failed(membership);
        }
        onResult.accept(membership.peer);
    }

    private void joined(Membership membership, SaRecord record) {
        membership.retryNs = FIRST_RETRY_NS;
        int lid = (int) record.get(McMemberRecord.MLID);
        GlobalRoute route = new GlobalRoute(
                membership.peer.address.gid(),
                (int) record.get(McMemberRecord.FLOW_LABEL),
                0,
                (int) record.get(McMemberRecord.HOP_LIMIT),
                (int) record.get(McMemberRecord.TRAFFIC_CLASS));
        membership.peer.path = qp.createPath(
                new AddressVector(route, lid, (int) record.get(McMemberRecord.SL), 0, Rate.PORT_CURRENT, port));
        qp.attach(membership.peer.address, lid);
        membership.lid = lid;
        if (membership.peer == broadcast) {
            parameters = record;
            qp.qkey((int) record.get(McMemberRecord.QKEY));
            List.copyOf(memberships.values()).stream()
                    .filter(other -> other.registration == null)
                    .forEach(this::request);
        }
    }

    private void failed(Membership membership) {
        failed++;
        if (membership.registration != null) {
            membership.registration.close();
            membership.registration = null;
        }
        membership.deadlineNs = Deadline.after(clock.nanoTime(), membership.retryNs);
        membership.retryNs = Math.min(2 * membership.retryNs, LAST_RETRY_NS);
    }

    /** The subnet may have changed: what has failed is tried again at once. */
    void retryNow() {
        long nowNs = clock.nanoTime();
        memberships.values().forEach(membership -> {
            if (membership.deadlineNs != Deadline.NEVER) {
                membership.retryNs = FIRST_RETRY_NS;
                membership.deadlineNs = nowNs;
            }
        });
    }

    /** Tries what is due again; returns the time of the next try, nanoseconds of the clock. */
    long advance() {
        long nowNs = clock.nanoTime();
        long next = Deadline.NEVER;
        for (Membership membership : List.copyOf(memberships.values())) {
            if (Deadline.isDue(membership.deadlineNs, nowNs)) {
                request(membership);
            }
            next = Deadline.earlier(next, membership.deadlineNs);
        }
        return next;
    }
}

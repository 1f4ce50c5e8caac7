// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm;

import io.rdma4j.base.Gid;
import io.rdma4j.wire.mad.sm.Notice;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.sm.TrapDetails;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes the notices about a subnet for the subscribers of the administrator (IBA 15.2.5.1). */
final class SubnetNotices {
    private static final int SUBNET_MANAGEMENT = 3;
    private static final int CLASS_MANAGER = 4;

    private final SubnetListener listener;
    private Set<Long> reachable = new HashSet<>();

    SubnetNotices(SubnetListener listener) {
        this.listener = listener;
    }

    /** Reports the ports that have come and gone since the last sweep. */
    void swept(SubnetSnapshot snapshot, long nowNs) {
        Set<Long> now = new HashSet<>();
        snapshot.ends().forEach(end -> now.add(end.guid));
        Set<Long> before = reachable;
        reachable = now;
        for (long guid : now) {
            if (!before.contains(guid)) {
                report(TrapDetails.GID_IN_SERVICE, snapshot.gid(guid), snapshot, nowNs);
            }
        }
        for (long guid : before) {
            if (!now.contains(guid)) {
                report(TrapDetails.GID_OUT_OF_SERVICE, snapshot.gid(guid), snapshot, nowNs);
                listener.gone(snapshot.gid(guid), nowNs);
            }
        }
    }

    /** The manager has handed the subnet over: the next sweep as a master finds all ports new. */
    void handedOver() {
        reachable = new HashSet<>();
        listener.handedOver();
    }

    /** @param trapNumber 64 to 67 */
    void report(int trapNumber, Gid of, SubnetSnapshot snapshot, long nowNs) {
        MemorySegment notice = MemorySegment.ofArray(new byte[Notice.LAYOUT.bytes()]);
        SmPort manager = snapshot.ends().getFirst();
        Notice.IS_GENERIC.put(notice, 0, 1);
        Notice.TYPE.put(notice, 0, SUBNET_MANAGEMENT);
        Notice.PRODUCER_TYPE.put(notice, 0, CLASS_MANAGER);
        Notice.TRAP_NUMBER.put(notice, 0, trapNumber);
        Notice.ISSUER_LID.put(notice, 0, manager.lid);
        Notice.ISSUER_GID.put(notice, 0, snapshot.gid(manager));
        TrapDetails.GID.put(notice, Notice.DATA_DETAILS.offset(), of);
        listener.notice(notice, nowNs);
    }

    /** Passes a Trap of a node on. */
    void forward(MemorySegment memory, long offset, @Nullable SubnetSnapshot snapshot, long nowNs) {
        MemorySegment notice = MemorySegment.ofArray(new byte[Notice.LAYOUT.bytes()]);
        MemorySegment.copy(memory, offset + Smp.DATA, notice, 0, Notice.SM_LAYOUT.bytes());
        SmPort issuer = snapshot == null ? null : snapshot.endOf(Notice.ISSUER_LID.getInt(notice, 0));
        if (snapshot != null && issuer != null) {
            Notice.ISSUER_GID.put(notice, 0, snapshot.gid(issuer));
        }
        listener.notice(notice, nowNs);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.sweep;

import io.rdma4j.base.Gid;
import io.rdma4j.sm.topology.SmPort;
import io.rdma4j.verbs.device.NodeType;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.sm.Notice;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.sm.TrapDetails;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes the notices about a subnet for the subscribers of the administrator (IBA 15.2.5.1). */
public final class SubnetNotices {
    private static final int SUBNET_MANAGEMENT = 3;
    private static final int CLASS_MANAGER = 4;
    private static final int INFORMATIONAL = 4;
    private static final int PRIORITY_CHANGED = 8;

    private final SubnetListener listener;
    private Set<Long> reachable = new HashSet<>();

    SubnetNotices(SubnetListener listener) {
        this.listener = listener;
    }

    /** A heavy sweep of the master has ended, perhaps without the answers of some nodes. */
    void ended() {
        listener.swept();
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
    public void report(int trapNumber, Gid of, SubnetSnapshot snapshot, long nowNs) {
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

    /**
     * Returns the trap by which a manager tells the master that its priority is higher.
     *
     * @param portInfo datagram with PortInfo of its port
     */
    static MemorySegment priorityTrap(MemorySegment portInfo, long transactionId) {
        MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);
        Mad.write(
                mad,
                0,
                MadClass.SUBN_LID_ROUTED,
                MadMethod.TRAP.code(),
                MadAttribute.SM_NOTICE.attributeId(),
                transactionId);
        int lid = PortInfoAttribute.LID.getInt(portInfo, Smp.DATA);
        Notice.IS_GENERIC.put(mad, Smp.DATA, 1);
        Notice.TYPE.put(mad, Smp.DATA, INFORMATIONAL);
        Notice.PRODUCER_TYPE.put(mad, Smp.DATA, NodeType.CA.code());
        Notice.TRAP_NUMBER.put(mad, Smp.DATA, TrapDetails.CAPABILITY_CHANGE);
        Notice.ISSUER_LID.put(mad, Smp.DATA, lid);
        int details = Smp.DATA + Notice.DATA_DETAILS.offset();
        TrapDetails.LID.put(mad, details, lid);
        TrapDetails.LOCAL_CHANGES.put(mad, details, 1);
        TrapDetails.CAPABILITY_MASK.put(mad, details, PortInfoAttribute.CAPABILITY_MASK.get(portInfo, Smp.DATA));
        TrapDetails.CHANGE_FLAGS.put(mad, details, PRIORITY_CHANGED);
        return mad;
    }
}

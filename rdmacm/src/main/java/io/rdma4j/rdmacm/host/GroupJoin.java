// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.host;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.rdmacm.DatagramPeer;
import io.rdma4j.rdmacm.JoinMode;
import io.rdma4j.rdmacm.SubnetServices;
import io.rdma4j.sa.SaRecord;
import io.rdma4j.sa.SaResult;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.Rate;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.sa.McMemberRecord;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes an id a member of a group of the subnet ({@code cma_join_ib_multicast}). The group has the parameters of the
 * broadcast group for IP over InfiniBand of the partition, which must be there. With the lock of rdma_cm.
 */
final class GroupJoin implements SubnetServices.Membership {
    private static final int QPN = 0xFF_FFFF;
    private static final int TIMEOUT_MS = 9000;
    private static final int FULL_MEMBER = 1;
    private static final int SEND_ONLY_FULL_MEMBER = 8;
    private static final long SIGNATURE_MASK = 0xFFFFL << 32;
    private static final long IP_SIGNATURE = 0x401BL << 32;
    private static final long BROADCAST = 0xFFFF_FFFFL;

    /** What the group copies. */
    private static final List<MadField> COPIED =
            List.of(McMemberRecord.PKEY, McMemberRecord.SL, McMemberRecord.FLOW_LABEL, McMemberRecord.TRAFFIC_CLASS);

    private final PortSubnet subnet;
    private final SubnetServices.Group group;
    private final Gid portGid;
    private final SubnetServices.MemberHandler handler;
    private @Nullable Runnable leave;
    private boolean hasLeft;

    GroupJoin(PortSubnet subnet, SubnetServices.Group group, Gid portGid, SubnetServices.MemberHandler handler) {
        this.subnet = subnet;
        this.group = group;
        this.portGid = portGid;
        this.handler = handler;
    }

    void begin() {
        Gid broadcast = new Gid(group.mgid().prefix() & ~SIGNATURE_MASK | IP_SIGNATURE, BROADCAST);
        SaRecord wanted = SaRecord.of(MadAttribute.MC_MEMBER_RECORD).set(McMemberRecord.MGID, broadcast);
        subnet.findGroup(wanted, TIMEOUT_MS, this::join);
    }

    private void join(SaResult broadcast) {
        if (hasLeft) {
            return;
        }
        if (!broadcast.isSuccess()) {
            handler.changed(null, broadcast.error());
            return;
        }
        SaRecord member = SaRecord.of(MadAttribute.MC_MEMBER_RECORD)
                .set(McMemberRecord.MGID, group.mgid())
                .set(McMemberRecord.PORT_GID, portGid)
                .set(McMemberRecord.QKEY, group.qkey())
                .set(
                        McMemberRecord.JOIN_STATE,
                        group.mode() == JoinMode.FULL_MEMBER ? FULL_MEMBER : SEND_ONLY_FULL_MEMBER);
        SaRecord model = broadcast.records().getFirst();
        COPIED.forEach(field -> member.set(field, model.get(field)));
        try {
            leave = subnet.joinGroup(member, this::joined);
        } catch (RdmaException e) {
            handler.changed(null, e.errno());
        }
    }

    private void joined(SaResult result) {
        if (hasLeft) {
            return;
        }
        if (result.isSuccess()) {
            SaRecord record = result.records().getFirst();
            int gidIndex = subnet.gidIndex(portGid);
            if (gidIndex >= 0) {
                handler.changed(peer(record, gidIndex), null);
                return;
            }
        }
        handler.changed(null, result.isSuccess() ? Errno.ENODEV : result.error());
    }

    private DatagramPeer peer(SaRecord record, int gidIndex) {
        GlobalRoute route = new GlobalRoute(
                group.mgid(),
                (int) record.get(McMemberRecord.FLOW_LABEL),
                gidIndex,
                (int) record.get(McMemberRecord.HOP_LIMIT),
                (int) record.get(McMemberRecord.TRAFFIC_CLASS));
        AddressVector vector = new AddressVector(
                route,
                (int) record.get(McMemberRecord.MLID),
                (int) record.get(McMemberRecord.SL),
                0,
                Rate.PORT_CURRENT,
                subnet.port());
        return new DatagramPeer(vector, QPN, (int) record.get(McMemberRecord.QKEY));
    }

    @Override
    public void leave() {
        hasLeft = true;
        if (leave != null) {
            leave.run();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.Rate;
import io.rdma4j.wire.mad.CmLap;
import io.rdma4j.wire.mad.CmMessage;
import io.rdma4j.wire.mad.CmReq;
import io.rdma4j.wire.mad.MadField;
import java.lang.foreign.MemorySegment;

/** The fields of a path in a REQ or LAP. "Local" is the sender of the message. */
record PathFields(
        MadField localLid,
        MadField remoteLid,
        MadField localGid,
        MadField remoteGid,
        MadField flowLabel,
        MadField rate,
        MadField trafficClass,
        MadField hopLimit,
        MadField serviceLevel,
        MadField subnetLocal,
        MadField ackTimeout) {

    static final PathFields PRIMARY = new PathFields(
            CmReq.PRIMARY_LOCAL_PORT_LID,
            CmReq.PRIMARY_REMOTE_PORT_LID,
            CmReq.PRIMARY_LOCAL_PORT_GID,
            CmReq.PRIMARY_REMOTE_PORT_GID,
            CmReq.PRIMARY_FLOW_LABEL,
            CmReq.PRIMARY_PACKET_RATE,
            CmReq.PRIMARY_TRAFFIC_CLASS,
            CmReq.PRIMARY_HOP_LIMIT,
            CmReq.PRIMARY_SL,
            CmReq.PRIMARY_SUBNET_LOCAL,
            CmReq.PRIMARY_LOCAL_ACK_TIMEOUT);

    static final PathFields ALTERNATE = new PathFields(
            CmReq.ALTERNATE_LOCAL_PORT_LID,
            CmReq.ALTERNATE_REMOTE_PORT_LID,
            CmReq.ALTERNATE_LOCAL_PORT_GID,
            CmReq.ALTERNATE_REMOTE_PORT_GID,
            CmReq.ALTERNATE_FLOW_LABEL,
            CmReq.ALTERNATE_PACKET_RATE,
            CmReq.ALTERNATE_TRAFFIC_CLASS,
            CmReq.ALTERNATE_HOP_LIMIT,
            CmReq.ALTERNATE_SL,
            CmReq.ALTERNATE_SUBNET_LOCAL,
            CmReq.ALTERNATE_LOCAL_ACK_TIMEOUT);

    static final PathFields LAP = new PathFields(
            CmLap.ALTERNATE_LOCAL_PORT_LID,
            CmLap.ALTERNATE_REMOTE_PORT_LID,
            CmLap.ALTERNATE_LOCAL_PORT_GID,
            CmLap.ALTERNATE_REMOTE_PORT_GID,
            CmLap.ALTERNATE_FLOW_LABEL,
            CmLap.ALTERNATE_PACKET_RATE,
            CmLap.ALTERNATE_TRAFFIC_CLASS,
            CmLap.ALTERNATE_HOP_LIMIT,
            CmLap.ALTERNATE_SL,
            CmLap.ALTERNATE_SUBNET_LOCAL,
            CmLap.ALTERNATE_LOCAL_ACK_TIMEOUT);

    private static final long BODY = CmMessage.BODY;

    /** LID of a path that leaves the subnet, and of all paths over RoCE. */
    private static final int PERMISSIVE_LID = 0xFFFF;

    void put(MemorySegment mad, CmPath path, int localAckTimeout) {
        AddressVector vector = path.addressVector();
        GlobalRoute route = path.route();
        boolean isSubnetLocal = route.hopLimit() <= 1;
        localLid.put(mad, BODY, lid(path.sourceLid(), isSubnetLocal));
        remoteLid.put(mad, BODY, lid(vector.dlid(), isSubnetLocal));
        localGid.put(mad, BODY, path.sourceGid());
        remoteGid.put(mad, BODY, route.destination());
        flowLabel.put(mad, BODY, route.flowLabel());
        rate.put(mad, BODY, vector.staticRate().code());
        trafficClass.put(mad, BODY, route.trafficClass());
        hopLimit.put(mad, BODY, route.hopLimit());
        serviceLevel.put(mad, BODY, vector.serviceLevel());
        subnetLocal.put(mad, BODY, isSubnetLocal ? 1 : 0);
        ackTimeout.put(mad, BODY, localAckTimeout);
    }

    private static int lid(int lid, boolean isSubnetLocal) {
        return isSubnetLocal && lid != 0 ? lid : PERMISSIVE_LID;
    }

    /** Returns true if the message has such a path. */
    boolean isPresent(MemorySegment mad) {
        return localLid.isSet(mad, BODY);
    }

    /** Sets all fields to zero. */
    void clear(MemorySegment mad) {
        int first = localLid.offset();
        mad.asSlice(BODY + first, ackTimeout.offset() + 1 - first).fill((byte) 0);
    }

    /** The GID that the sender takes for ours. */
    Gid receiverGid(MemorySegment mad) {
        return remoteGid.gid(mad, BODY);
    }

    /**
     * The path as the receiver sees it.
     *
     * @param lmc bits of the own LID that choose a path
     */
    CmPath read(MemorySegment mad, int port, int lmc, int gidIndex, int pkey, int pkeyIndex, Mtu mtu) {
        int ownLid = receivedLid(remoteLid.getInt(mad, BODY));
        GlobalRoute route = new GlobalRoute(
                localGid.gid(mad, BODY),
                flowLabel.getInt(mad, BODY),
                gidIndex,
                hopLimit.getInt(mad, BODY),
                trafficClass.getInt(mad, BODY));
        AddressVector vector = new AddressVector(
                route,
                receivedLid(localLid.getInt(mad, BODY)),
                serviceLevel.getInt(mad, BODY),
                ownLid & (1 << lmc) - 1,
                rateOf(rate.getInt(mad, BODY)),
                port);
        int lifetime = Math.max(ackTimeout.getInt(mad, BODY) - 1, 0);
        return new CmPath(vector, receiverGid(mad), ownLid, pkey, pkeyIndex, mtu, lifetime);
    }

    private static int receivedLid(int lid) {
        return lid == PERMISSIVE_LID ? 0 : lid;
    }

    private static Rate rateOf(int code) {
        for (Rate rate : Rate.values()) {
            if (rate.code() == code) {
                return rate;
            }
        }
        return Rate.PORT_CURRENT;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.endpoint;

import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import java.util.Set;

/** The transitions from RESET to RTS with exactly the attributes that a type requires. */
public final class Transitions {
    /** Value of the libibverbs examples. */
    public static final int QKEY = 0x11111111;

    /** Q_Key of all general services (IBA 13.5.1). */
    public static final int GSI_QKEY = 0x80010000;

    private Transitions() {}

    private static boolean isDatagram(QpType type) {
        return type == QpType.UD || type == QpType.GSI || type == QpType.SMI;
    }

    /**
     * {@return the attributes of RESET to INIT}
     *
     * @param type of the queue pair
     * @param port its port, from 1
     * @param rights rights of the peer
     */
    public static QpAttributes.Builder init(QpType type, int port, Set<AccessFlag> rights) {
        QpAttributes.Builder attributes = QpAttributes.builder().state(QpState.INIT);
        if (type.isRaw()) {
            return attributes.port(port);
        }
        attributes.pkeyIndex(0);
        return switch (type) {
            case UD -> attributes.port(port).qkey(QKEY);
            case GSI -> attributes.qkey(GSI_QKEY);
            case SMI -> attributes.qkey(0);
            default -> attributes.port(port).accessFlags(rights);
        };
    }

    /**
     * {@return the attributes of INIT to RTR}
     *
     * @param type of the queue pair
     * @param link attributes of the connection
     * @param peer number of the peer's queue pair
     * @param path to the peer
     */
    public static QpAttributes.Builder readyToReceive(QpType type, LinkSetup link, int peer, AddressVector path) {
        QpAttributes.Builder attributes = QpAttributes.builder().state(QpState.RTR);
        if (isDatagram(type) || type.isRaw()) {
            return attributes;
        }
        attributes
                .pathMtu(link.mtu())
                .destinationQpn(peer)
                .rqPsn(link.firstPsn())
                .addressVector(path);
        return type == QpType.RC || type == QpType.XRC_TGT
                ? attributes.maxDestRdAtomic(link.rdAtomic()).minRnrTimer(link.minRnrTimer())
                : attributes;
    }

    /**
     * Moves a queue pair from RESET to RTS.
     *
     * @param qp of any type
     * @param rights rights of the peer
     * @param link attributes of the connection
     * @param peer number of the peer's queue pair; ignored for datagrams and raw packets
     * @param path to the peer; gives the port also where it is not used otherwise
     */
    public static void connect(QueuePair qp, Set<AccessFlag> rights, LinkSetup link, int peer, AddressVector path) {
        QpType type = qp.initAttributes().type();
        qp.modify(init(type, path.port(), rights).build());
        qp.modify(readyToReceive(type, link, peer, path).build());
        qp.modify(readyToSend(type, link).build());
    }

    /**
     * {@return the attributes of RTR to RTS}
     *
     * @param type of the queue pair
     * @param link attributes of the connection
     */
    public static QpAttributes.Builder readyToSend(QpType type, LinkSetup link) {
        QpAttributes.Builder attributes = QpAttributes.builder().state(QpState.RTS);
        if (type.isRaw()) {
            return attributes;
        }
        attributes.sqPsn(link.firstPsn());
        return switch (type) {
            case RC, XRC_INI ->
                attributes
                        .timeout(link.timeout())
                        .retryCount(link.retryCount())
                        .rnrRetry(link.rnrRetry())
                        .maxRdAtomic(link.rdAtomic());
            case XRC_TGT -> attributes.timeout(link.timeout());
            default -> attributes;
        };
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;

/** Moves a queue pair from RESET to RTS; each type has its own attributes. */
public final class QpConnector {
    /** Q_Key of all datagrams. */
    public static final int QKEY = 0x1234_5678;

    private final QueuePair qp;
    private final QpType type;
    private final ConnectionSetup how;

    private QpConnector(QueuePair qp, ConnectionSetup how) {
        this.qp = qp;
        this.type = qp.initAttributes().type();
        this.how = how;
    }

    /**
     * Moves a queue pair from RESET to {@code top}.
     *
     * @param peerQpn ignored for datagrams, as is {@code path}
     * @param top INIT, RTR or RTS
     */
    static void raise(QueuePair qp, int peerQpn, AddressVector path, ConnectionSetup how, QpState top) {
        new QpConnector(qp, how).raise(peerQpn, path, top);
    }

    private void raise(int peerQpn, AddressVector path, QpState top) {
        qp.modify(init());
        if (top.compareTo(QpState.RTR) >= 0) {
            qp.modify(readyToReceive(peerQpn, path));
        }
        if (top.compareTo(QpState.RTS) >= 0) {
            qp.modify(readyToSend());
        }
    }

    private QpAttributes init() {
        QpAttributes.Builder init =
                QpAttributes.builder().state(QpState.INIT).pkeyIndex(0).port(1);
        return (type == QpType.UD ? init.qkey(QKEY) : init.accessFlags(how.remoteRights())).build();
    }

    private QpAttributes readyToReceive(int peerQpn, AddressVector path) {
        QpAttributes.Builder ready = QpAttributes.builder().state(QpState.RTR);
        if (type == QpType.UD) {
            return ready.build();
        }
        ready.pathMtu(how.pathMtu()).destinationQpn(peerQpn).rqPsn(how.rqPsn()).addressVector(path);
        if (type == QpType.RC || type == QpType.XRC_TGT) {
            ready.maxDestRdAtomic(how.servedRdAtomic()).minRnrTimer(how.minRnrTimer());
        }
        return ready.build();
    }

    private QpAttributes readyToSend() {
        QpAttributes.Builder ready = QpAttributes.builder().state(QpState.RTS).sqPsn(how.sqPsn());
        if (type == QpType.RC || type == QpType.XRC_INI) {
            ready.retryCount(how.retryCount()).rnrRetry(how.rnrRetry()).maxRdAtomic(how.rdAtomic());
        }
        if (type != QpType.UC && type != QpType.UD) {
            ready.timeout(how.timeout());
        }
        return ready.build();
    }
}

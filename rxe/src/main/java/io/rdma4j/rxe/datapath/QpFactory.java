// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe.datapath;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.hca.HcaLimits;
import io.rdma4j.hca.QpMaker;
import io.rdma4j.hca.QpRequest;
import io.rdma4j.verbs.spi.QpOps;
import io.rdma4j.verbs.spi.QpSetup;
import io.rdma4j.verbs.values.QpType;
import java.util.function.IntFunction;

/** Creates queue pairs over a network device. */
public final class QpFactory implements QpMaker {
    private final QpServices services;
    private final boolean rawPackets;
    private final boolean privilegedQkeys;

    /**
     * @param rawPackets whether raw queue pairs are permitted
     * @param privilegedQkeys whether datagram queue pairs may use a Q_Key with bit 31
     */
    public QpFactory(QpServices services, boolean rawPackets, boolean privilegedQkeys) {
        this.services = services;
        this.rawPackets = rawPackets;
        this.privilegedQkeys = privilegedQkeys;
    }

    @Override
    public void check(QpSetup attributes) {
        checkType(attributes.type());
        int inline = attributes.capabilities().maxInlineData();
        if (inline > HcaLimits.MAX_INLINE_DATA) {
            throw new RdmaException(
                    Errno.EINVAL, "max_inline_data " + inline + ": the limit is " + HcaLimits.MAX_INLINE_DATA);
        }
        services.common().states().failure().check();
        if (attributes.type().isRaw()) {
            checkRaw(attributes);
        }
    }

    private static void checkType(QpType type) {
        String reason = switch (type) {
            case SMI -> "RoCE has no subnet management";
            case DRIVER -> "the device has no kinds of its own";
            default -> null;
        };
        if (reason != null) {
            throw new RdmaException(Errno.EOPNOTSUPP, "no queue pairs of type " + type + ": " + reason);
        }
    }

    private void checkRaw(QpSetup attributes) {
        RawLink.check(services.link().device(), attributes.type());
        if (!rawPackets) {
            throw new RdmaException(
                    Errno.EPERM,
                    "queue pairs of type " + attributes.type()
                            + " are privileged: open the device with RxeOptions.withRawPackets()");
        }
    }

    @Override
    public QpOps create(QpRequest request) {
        QpTable table = services.common().queuePairs();
        return services.common().loop().exclusively(() -> switch (request.attributes()
                .type()) {
            case RAW_PACKET, RAW_ETHERTYPE, RAW_IPV6 -> table.add(qpn -> new RawQp(qpn, request, services));
            case GSI -> table.addGsi(maker(request));
            default -> table.add(maker(request));
        });
    }

    private IntFunction<RxeQp> maker(QpRequest request) {
        return qpn -> new RxeQp(qpn, request, services, privilegedQkeys);
    }
}

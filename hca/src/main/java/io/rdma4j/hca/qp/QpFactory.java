// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.hca.HcaLimits;
import io.rdma4j.verbs.device.LinkLayer;
import io.rdma4j.verbs.spi.QpOps;
import io.rdma4j.verbs.spi.QpSetup;
import io.rdma4j.verbs.values.QpType;
import java.util.function.IntFunction;

/** Creates the queue pairs of a port. Any thread. */
public final class QpFactory {
    private final QpServices services;
    private final RawQps raw;
    private final boolean privilegedQkeys;

    /**
     * @param raw creates raw queue pairs
     * @param privilegedQkeys whether datagram queue pairs may use a Q_Key with bit 31
     */
    public QpFactory(QpServices services, RawQps raw, boolean privilegedQkeys) {
        this.services = services;
        this.raw = raw;
        this.privilegedQkeys = privilegedQkeys;
    }

    /** @throws RdmaException if the port has no such queue pairs, or is out of service */
    public void check(QpSetup attributes) {
        checkType(attributes.type(), services.carrier().link().layer());
        int inline = attributes.capabilities().maxInlineData();
        if (inline > HcaLimits.MAX_INLINE_DATA) {
            throw new RdmaException(
                    Errno.EINVAL, "max_inline_data " + inline + ": the limit is " + HcaLimits.MAX_INLINE_DATA);
        }
        services.common().states().failure().check();
        if (attributes.type().isRaw()) {
            raw.check(attributes);
        }
    }

    private static void checkType(QpType type, LinkLayer layer) {
        String reason = switch (type) {
            case SMI -> layer == LinkLayer.INFINIBAND ? null : "RoCE has no subnet management";
            case DRIVER -> "the device has no kinds of its own";
            default -> null;
        };
        if (reason != null) {
            throw new RdmaException(Errno.EOPNOTSUPP, "no queue pairs of type " + type + ": " + reason);
        }
    }

    /**
     * Creates a queue pair whose attributes {@link #check} has accepted.
     *
     * @throws RdmaException ENOMEM if all numbers are in use, EBUSY for a second queue pair 0 or 1
     */
    public QpOps create(QpRequest request) {
        QpTable table = services.common().queuePairs();
        return services.common().loop().exclusively(() -> switch (request.attributes()
                .type()) {
            case RAW_PACKET, RAW_ETHERTYPE, RAW_IPV6 -> table.add(qpn -> raw.make(qpn, request, services));
            case SMI -> table.addSpecial(QpTable.SMI_QPN, maker(request));
            case GSI -> table.addSpecial(QpTable.GSI_QPN, maker(request));
            default -> table.add(maker(request));
        });
    }

    private IntFunction<HcaQp> maker(QpRequest request) {
        return qpn -> new HcaQp(qpn, request, services, privilegedQkeys);
    }
}

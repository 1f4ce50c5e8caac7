// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe.carrier;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.hca.qp.LoopQp;
import io.rdma4j.hca.qp.QpRequest;
import io.rdma4j.hca.qp.QpServices;
import io.rdma4j.hca.qp.RawQps;
import io.rdma4j.verbs.spi.QpSetup;
import io.rdma4j.verbs.values.QpType;
import java.util.EnumSet;
import java.util.Set;

/** Creates the raw queue pairs of a network device. */
public final class RoceRawQps implements RawQps {
    private final NetDeviceCarrier carrier;
    private final boolean permitted;

    /** @param permitted whether raw queue pairs are permitted */
    public RoceRawQps(NetDeviceCarrier carrier, boolean permitted) {
        this.carrier = carrier;
        this.permitted = permitted;
    }

    @Override
    public Set<QpType> types() {
        Set<QpType> possible = EnumSet.of(QpType.RAW_IPV6, QpType.RAW_PACKET, QpType.RAW_ETHERTYPE);
        possible.removeIf(type -> !RawLink.has(carrier.link().device(), type));
        return possible;
    }

    @Override
    public void check(QpSetup setup) {
        RawLink.check(carrier.link().device(), setup.type());
        if (!permitted) {
            throw new RdmaException(
                    Errno.EPERM,
                    "queue pairs of type " + setup.type()
                            + " are privileged: open the device with RxeOptions.withRawPackets()");
        }
    }

    @Override
    public LoopQp make(int qpn, QpRequest request, QpServices services) {
        return new RawQp(qpn, request, services, carrier);
    }
}

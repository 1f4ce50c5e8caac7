// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.verbs.values.QpType;
import org.jspecify.annotations.Nullable;

/** The space that a port number belongs to. Corresponds to {@code enum rdma_port_space}. */
public enum PortSpace {
    /** Datagrams of IP over InfiniBand; not on RoCE. */
    IPOIB(0x0002, QpType.UD),
    /** Reliable connections. */
    TCP(0x0106, QpType.RC),
    /** Datagrams. */
    UDP(0x0111, QpType.UD),
    /** Queue pairs of any type, also extended reliable connections. */
    IB(0x013F, QpType.RC);

    private final int value;
    private final QpType qpType;

    PortSpace(int value, QpType qpType) {
        this.value = value;
        this.qpType = qpType;
    }

    /** {@return the value of the C constant} */
    public int value() {
        return value;
    }

    /** {@return the type of the queue pairs, unless {@link RdmaCm#createId} is told another one} */
    public QpType qpType() {
        return qpType;
    }

    /**
     * {@return the service ID of a port}
     *
     * @param port 16 bits
     */
    public long serviceId(int port) {
        return (long) value << Short.SIZE | port;
    }

    /** The space of a service ID; null if it is no service ID of rdma_cm. */
    static @Nullable PortSpace of(long serviceId) {
        for (PortSpace space : values()) {
            if (serviceId >>> Short.SIZE == space.value) {
                return space;
            }
        }
        return null;
    }

    /** True for the types of queue pairs that the space has: IB all that connect by messages, others one. */
    boolean allows(QpType type) {
        return this == IB ? type.isConnected() || type == QpType.UD : type == qpType;
    }

    static int port(long serviceId) {
        return (int) serviceId & 0xFFFF;
    }
}

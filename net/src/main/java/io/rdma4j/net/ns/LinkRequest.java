// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.ns;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A user's request for a new software link ({@code RTM_NEWLINK}).
 *
 * @param kind name of the kind ({@code IFLA_INFO_KIND})
 * @param namespace namespace of the new device
 * @param name name, or a pattern such as {@code vlan%d}; empty for the kind's default
 * @param lower the lower device, or null ({@code IFLA_LINK})
 * @param mtu maximum size of an IP packet in bytes, 0 for the kind's default
 * @param macAddress 48 bits, 0 for the kind's default
 * @param txQueues transmit queues, 0 for the kind's default ({@code IFLA_NUM_TX_QUEUES})
 * @param rxQueues receive queues, 0 for the kind's default ({@code IFLA_NUM_RX_QUEUES})
 * @param attributes the kind's own parameters by name ({@code IFLA_INFO_DATA}), such as {@code id} of a VLAN
 */
public record LinkRequest(
        String kind,
        NetNamespace namespace,
        String name,
        @Nullable NetDevice lower,
        int mtu,
        long macAddress,
        int txQueues,
        int rxQueues,
        Map<String, String> attributes) {
    /** Maximum number of queues of each direction in a request. */
    public static final int MAX_QUEUES = 4096;

    /**
     * Checks the numbers and copies the attributes.
     *
     * @throws RdmaException EINVAL for a negative number, or more than {@link #MAX_QUEUES} queues
     */
    public LinkRequest {
        if (mtu < 0 || txQueues < 0 || rxQueues < 0) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "MTU " + mtu + ", " + txQueues + " and " + rxQueues + " queues: none may be negative");
        }
        if (Math.max(txQueues, rxQueues) > MAX_QUEUES) {
            throw new RdmaException(
                    Errno.EINVAL, txQueues + " and " + rxQueues + " queues: " + MAX_QUEUES + " are the most");
        }
        attributes = Map.copyOf(attributes);
    }

    /**
     * {@return a request for a link of this kind with default values}
     *
     * @param kind name of the kind, such as {@code vlan}
     * @param namespace namespace of the new device
     */
    public static LinkRequest of(String kind, NetNamespace namespace) {
        return new LinkRequest(kind, namespace, "", null, 0, 0, 0, 0, Map.of());
    }

    /**
     * {@return a copy with a name or pattern}
     *
     * @param other such as {@code eth%d}, in which the first free number replaces {@code %d}
     */
    public LinkRequest withName(String other) {
        return new LinkRequest(kind, namespace, other, lower, mtu, macAddress, txQueues, rxQueues, attributes);
    }

    /**
     * {@return a copy with a lower device}
     *
     * @param device the lower device, on the same machine
     */
    public LinkRequest withLower(NetDevice device) {
        return new LinkRequest(kind, namespace, name, device, mtu, macAddress, txQueues, rxQueues, attributes);
    }

    /**
     * {@return a copy with an MTU and a link address; 0 for the kind's default}
     *
     * @param otherMtu maximum size of an IP packet, bytes
     * @param otherMac 48 bits
     */
    public LinkRequest withLink(int otherMtu, long otherMac) {
        return new LinkRequest(kind, namespace, name, lower, otherMtu, otherMac, txQueues, rxQueues, attributes);
    }

    /**
     * {@return a copy with other numbers of queues; 0 for the kind's default}
     *
     * @param tx transmit queues
     * @param rx receive queues
     */
    public LinkRequest withQueues(int tx, int rx) {
        return new LinkRequest(kind, namespace, name, lower, mtu, macAddress, tx, rx, attributes);
    }

    /**
     * {@return a copy with other parameters of the kind}
     *
     * @param others all parameters by name
     */
    public LinkRequest withAttributes(Map<String, String> others) {
        return new LinkRequest(kind, namespace, name, lower, mtu, macAddress, txQueues, rxQueues, others);
    }
}

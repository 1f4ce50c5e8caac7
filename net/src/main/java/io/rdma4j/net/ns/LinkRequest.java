package io.rdma4j.net.ns;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a user wants a new software link to be ({@code RTM_NEWLINK}).
 *
 * @param kind name of the kind ({@code IFLA_INFO_KIND})
 * @param namespace where the device is to be
 * @param name of the device, or a pattern such as {@code vlan%d}; empty leaves it to the kind
 * @param lower the device that it is to stand on, if any ({@code IFLA_LINK})
 * @param mtu largest IP packet in bytes, 0 leaves it to the kind
 * @param macAddress 48 bits, 0 leaves it to the kind
 * @param txQueues transmit queues, 0 leaves it to the kind ({@code IFLA_NUM_TX_QUEUES})
 * @param rxQueues receive queues, 0 leaves it to the kind ({@code IFLA_NUM_RX_QUEUES})
 * @param attributes of the kind's own, by name ({@code IFLA_INFO_DATA}): {@code id} of a VLAN
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
    /** Most queues of each direction that a user may ask for. */
    public static final int MAX_QUEUES = 4096;

    /** What is negative is refused with EINVAL, and so are more than {@link #MAX_QUEUES} queues. */
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
     * {@return a link of this kind; everything else is left to the kind}
     *
     * @param kind name of the kind, such as {@code vlan}
     * @param namespace where the link shall be
     */
    public static LinkRequest of(String kind, NetNamespace namespace) {
        return new LinkRequest(kind, namespace, "", null, 0, 0, 0, 0, Map.of());
    }

    /**
     * {@return the same with a name, or a pattern}
     *
     * @param other as {@code eth%d}, where the number is chosen
     */
    public LinkRequest withName(String other) {
        return new LinkRequest(kind, namespace, other, lower, mtu, macAddress, txQueues, rxQueues, attributes);
    }

    /**
     * {@return the same on top of {@code device}}
     *
     * @param device that it stands on, of the same machine
     */
    public LinkRequest withLower(NetDevice device) {
        return new LinkRequest(kind, namespace, name, device, mtu, macAddress, txQueues, rxQueues, attributes);
    }

    /**
     * {@return the same with an MTU and a link address; 0 leaves either to the kind}
     *
     * @param otherMtu largest IP packet, bytes
     * @param otherMac 48 bits
     */
    public LinkRequest withLink(int otherMtu, long otherMac) {
        return new LinkRequest(kind, namespace, name, lower, otherMtu, otherMac, txQueues, rxQueues, attributes);
    }

    /**
     * {@return the same with so many queues; 0 leaves either to the kind}
     *
     * @param tx transmit queues
     * @param rx receive queues
     */
    public LinkRequest withQueues(int tx, int rx) {
        return new LinkRequest(kind, namespace, name, lower, mtu, macAddress, tx, rx, attributes);
    }

    /**
     * {@return the same with these attributes of the kind}
     *
     * @param others all of them, by name
     */
    public LinkRequest withAttributes(Map<String, String> others) {
        return new LinkRequest(kind, namespace, name, lower, mtu, macAddress, txQueues, rxQueues, others);
    }
}

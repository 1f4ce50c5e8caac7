// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

/** A network device as seen by a buffer ({@code skb->dev}). */
public interface PacketDevice {
    /** {@return index of the interface, unique on its host, from 1 ({@code dev->ifindex})} */
    int ifindex();

    /** {@return name of the interface ({@code dev->name})} */
    String name();
}

// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.verbs.device.LinkLayer;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.verbs.spi.AddressResolver;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The link of a port, as management and contexts see it; packets do not pass here. Any thread. */
public interface PortLink {
    /** Returns the name of the interface. */
    String name();

    /** Returns the driver and whether it uses shared memory, as text for the log. */
    String carrier();

    /** Returns the link layer. */
    LinkLayer layer();

    /** Returns the addresses of the interface, in the order of the GID table. */
    List<Gid> addresses();

    /** Returns true if the interface is switched on. */
    boolean isUp();

    /** Returns true if the interface has a link. */
    boolean isCarrierOk();

    /** Returns true while the link waits for an external event, such as authentication. */
    boolean isDormant();

    /**
     * Returns the logical state that a subnet manager has given the port; null for a link whose ports need no manager
     * to become active.
     */
    default @Nullable PortState managedState() {
        return null;
    }

    /**
     * Takes the link down until management enables it. Any thread, without locks of the device.
     *
     * @return false if the link cannot do it; the device then sends and receives nothing itself
     */
    default boolean disable() {
        return false;
    }

    /** Returns the capabilities that management agents of the link add to those of the device, as bits of PortInfo. */
    default int agentCapabilities() {
        return 0;
    }

    /** Reports that a program has changed the capabilities of the port. Any thread, without locks of the device. */
    default void capabilitiesChanged() {}

    /** Returns the width and speed of the link now. */
    LinkRate rate();

    /** Returns the number of lanes: traffic classes of the interface, or its queues if it has no classes. */
    int lanes();

    /** Returns the largest path MTU that fits into the MTU of the interface; at least 256. */
    Mtu activeMtu();

    /** Returns memory of the link, see {@link io.rdma4j.verbs.spi.ContextOps#allocateBuffer}. */
    MemorySegment allocateBuffer(long length, long alignment, Arena arena);

    /** Returns true if the link depends on a device of the loop. */
    boolean uses(Object device);

    /** Returns the packets that the link has sent. */
    long sentPackets();

    /** Returns the packets that the link rejected or dropped. */
    long sendErrors();

    /** Counts a packet that the port dropped instead of sending it. */
    void countDropped();

    /** Returns the routes and neighbours of the link; null if the operating system or a subnet manager knows them. */
    default @Nullable AddressResolver addressResolver() {
        return null;
    }

    /** Returns true if {@link #measureLatencyNs} is possible. */
    boolean hasLatency();

    /**
     * Measures the round trip to another port, ns.
     *
     * @throws io.rdma4j.base.RdmaException ETIMEDOUT without an answer, EOPNOTSUPP in manual mode, or the error of the
     *     network
     */
    long measureLatencyNs(Gid peer, Duration timeout);
}

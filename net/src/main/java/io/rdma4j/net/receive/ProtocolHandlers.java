// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.receive;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.device.DeviceCore;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.device.StateBits;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.packet.PacketMeta;
import io.rdma4j.packet.SkBuff;
import java.util.Arrays;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The receivers of a device's packets: one handler for each protocol, and any number of taps ({@code ptype_base},
 * {@code ptype_all}).
 *
 * <p>Any thread may register them. The loop scans immutable arrays.
 */
public final class ProtocolHandlers {
    private record Handler(int protocol, ReceiveHandler receiver) {}

    private record Tap(int protocol, PacketTap listener) {}

    private final DeviceCore core;
    private volatile Handler[] handlers = {};
    private volatile Tap[] taps = {};
    private volatile @Nullable GroReceiver merged;

    /**
     * Creates it without handlers and taps.
     *
     * @param core core of the device
     */
    public ProtocolHandlers(DeviceCore core) {
        this.core = core;
    }

    /**
     * Sets the receiver of one protocol's packets ({@code dev_add_pack}).
     *
     * @param protocol {@link PacketMeta#protocol} of the packets
     * @param receiver the receiver
     * @throws RdmaException EBUSY if the protocol has a handler
     */
    public synchronized void addHandler(int protocol, ReceiveHandler receiver) {
        for (Handler handler : handlers) {
            if (handler.protocol == protocol) {
                throw new RdmaException(
                        Errno.EBUSY, "protocol 0x" + Integer.toHexString(protocol) + " has a handler: remove it first");
            }
        }
        handlers = Stream.concat(Arrays.stream(handlers), Stream.of(new Handler(protocol, receiver)))
                .toArray(Handler[]::new);
    }

    /**
     * Removes the handler of a protocol, if any ({@code dev_remove_pack}). From then on its packets are dropped.
     *
     * @param protocol {@link PacketMeta#protocol} of the packets
     */
    public synchronized void removeHandler(int protocol) {
        handlers = Arrays.stream(handlers)
                .filter(handler -> handler.protocol != protocol)
                .toArray(Handler[]::new);
    }

    /**
     * Adds a tap for all packets of one protocol, or of all protocols. There may be any number of taps.
     *
     * @param protocol {@link PacketMeta#protocol} of the packets, or {@link EtherType#ALL}
     * @param listener the tap
     */
    public synchronized void addTap(int protocol, PacketTap listener) {
        taps = Stream.concat(Arrays.stream(taps), Stream.of(new Tap(protocol, listener)))
                .toArray(Tap[]::new);
        core.state().change(StateBits.TAPS, true);
    }

    /**
     * Undoes {@link #addTap}. No effect if the tap was not added.
     *
     * @param listener the same object as for {@link #addTap}
     */
    @SuppressWarnings("ReferenceEquality") // identity is intended
    public synchronized void removeTap(PacketTap listener) {
        taps = Arrays.stream(taps).filter(tap -> tap.listener != listener).toArray(Tap[]::new);
        core.state().change(StateBits.TAPS, hasTaps());
    }

    /**
     * Sets the layer that decides whether packets may be merged ({@code dev_add_offload}).
     *
     * @param receiver called by the loop's owner; null: no packets are merged
     */
    public void groReceiver(@Nullable GroReceiver receiver) {
        merged = receiver;
    }

    @Nullable
    GroReceiver groReceiver() {
        return merged;
    }

    /** {@return true if there are taps} */
    public boolean hasTaps() {
        return taps.length > 0;
    }

    /** Passes a packet to the taps of its protocol and of all protocols. Returns true if there is one. */
    boolean show(SkBuff skb) {
        boolean seen = false;
        for (Tap tap : taps) {
            if (tap.protocol == EtherType.ALL || tap.protocol == skb.meta().protocol()) {
                tap.listener.see(skb);
                seen = true;
            }
        }
        return seen;
    }

    /**
     * Passes a packet to the taps for sent packets before the driver gets it. The transmit path calls it.
     *
     * @param skb the packet, which begins with its link header
     * @param linkType link type of the device
     */
    public void showOutgoing(SkBuff skb, LinkType linkType) {
        for (Tap tap : taps) {
            if (tap.listener.seesOutgoing()
                    && skb.headLen() >= linkType.headerBytes()
                    && (tap.protocol == EtherType.ALL
                            || tap.protocol == skb.meta().protocol())) {
                skb.setMacHeader(0);
                skb.pull(linkType.headerBytes());
                tap.listener.see(skb);
                skb.push(linkType.headerBytes());
            }
        }
    }

    /** Delivers a packet to the handler of its protocol. Returns false if there is none; then the caller keeps it. */
    boolean deliver(SkBuff skb) {
        for (Handler handler : handlers) {
            if (handler.protocol == skb.meta().protocol()) {
                handler.receiver.receive(skb);
                return true;
            }
        }
        return false;
    }
}

package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.packet.SkBuff;
import java.util.Arrays;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Who gets the packets of a device: one handler a protocol, and any number of taps ({@code ptype_base}, {@code ptype_all}).
 *
 * <p>Any thread registers; the loop scans arrays that are never changed.
 */
public final class ProtocolHandlers {
    private record Handler(int protocol, ReceiveHandler receiver) {}

    private record Tap(int protocol, PacketTap listener) {}

    private volatile Handler[] handlers = {};
    private volatile Tap[] taps = {};
    private volatile @Nullable GroReceiver merged;

    ProtocolHandlers() {}

    /**
     * Installs who gets the packets of one protocol ({@code dev_add_pack}).
     *
     * @param protocol {@link SkBuff#protocol} of the packets
     * @param receiver gets them from now on
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
     * Removes the handler of a protocol ({@code dev_remove_pack}), if it has one: its packets are dropped from here on.
     *
     * @param protocol {@link SkBuff#protocol} of the packets
     */
    public synchronized void removeHandler(int protocol) {
        handlers = Arrays.stream(handlers)
                .filter(handler -> handler.protocol != protocol)
                .toArray(Handler[]::new);
    }

    /**
     * Shows {@code listener} all packets of one protocol, or of all; there may be any number of taps.
     *
     * @param protocol {@link SkBuff#protocol} of the packets, or {@link EtherType#ALL}
     * @param listener the same object at both calls
     */
    public synchronized void addTap(int protocol, PacketTap listener) {
        taps = Stream.concat(Arrays.stream(taps), Stream.of(new Tap(protocol, listener)))
                .toArray(Tap[]::new);
    }

    /**
     * Undoes {@link #addTap}; nothing happens if it is none.
     *
     * @param listener the same object at both calls
     */
    @SuppressWarnings("ReferenceEquality") // a listener is itself
    public synchronized void removeTap(PacketTap listener) {
        taps = Arrays.stream(taps).filter(tap -> tap.listener != listener).toArray(Tap[]::new);
    }

    /**
     * Installs who knows which receivers take merged packets ({@code dev_add_offload}); null: nobody does.
     *
     * @param receiver asked by the owner of the loop
     */
    public void groReceiver(@Nullable GroReceiver receiver) {
        merged = receiver;
    }

    @Nullable
    GroReceiver groReceiver() {
        return merged;
    }

    /** True if somebody sees all that comes. */
    boolean hasTaps() {
        return taps.length > 0;
    }

    /** Shows a packet to the taps of its protocol and of all; true if there is one. */
    boolean show(SkBuff skb) {
        boolean seen = false;
        for (Tap tap : taps) {
            if (tap.protocol == EtherType.ALL || tap.protocol == skb.protocol()) {
                tap.listener.see(skb);
                seen = true;
            }
        }
        return seen;
    }

    /** Shows a packet that begins with its link header, and is on its way to the driver, to the taps that want such. */
    void showOutgoing(SkBuff skb, LinkType linkType) {
        for (Tap tap : taps) {
            if (tap.listener.seesOutgoing()
                    && skb.headLen() >= linkType.headerBytes()
                    && (tap.protocol == EtherType.ALL || tap.protocol == skb.protocol())) {
                skb.setMacHeader(0);
                skb.pull(linkType.headerBytes());
                tap.listener.see(skb);
                skb.push(linkType.headerBytes());
            }
        }
    }

    /** Gives a packet to the handler of its protocol; false if there is none: it stays the caller's. */
    boolean deliver(SkBuff skb) {
        for (Handler handler : handlers) {
            if (handler.protocol == skb.protocol()) {
                handler.receiver.receive(skb);
                return true;
            }
        }
        return false;
    }
}

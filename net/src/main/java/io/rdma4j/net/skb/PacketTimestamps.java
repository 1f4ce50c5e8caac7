// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.skb;

import io.rdma4j.base.NanoClock;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.TxFlag;
import java.time.Instant;

/**
 * Timestamps of a host's packets: whether they are on, and the time. All devices of a host use one object. There is no
 * other state, so hosts in one JVM are independent.
 *
 * <p>Timestamps are off until {@link #enable} is called, because each one reads a clock. They are nanoseconds since
 * 1970 ({@code ktime_get_real}): the offset from {@link #setRealTime} plus the host's clock.
 */
public final class PacketTimestamps {
    private static final long NANOS = 1_000_000_000L;

    private final NanoClock clock;

    /** Real time at the clock's 0, ns since 1970. */
    private volatile long baseNs;

    private volatile int users;

    /**
     * Creates it, off; the real time is that of the clock until {@link #setRealTime} is called.
     *
     * @param clock clock of the host
     */
    public PacketTimestamps(NanoClock clock) {
        this.clock = clock;
    }

    /**
     * Sets the real time ({@code clock_settime}); from then on the clock advances it. Any thread may call it.
     *
     * @param now the real time
     */
    public void setRealTime(Instant now) {
        baseNs = now.getEpochSecond() * NANOS + now.getNano() - clock.nanoTime();
    }

    /** Adds a user of timestamps ({@code net_enable_timestamp}). Any thread may call it. */
    public synchronized void enable() {
        users++;
    }

    /**
     * Undoes one {@link #enable} ({@code net_disable_timestamp}); the last one ends timestamping. Any thread may call
     * it.
     *
     * @throws IllegalStateException if there are no users
     */
    public synchronized void disable() {
        if (users == 0) {
            throw new IllegalStateException("disable of time stamps that were not enabled");
        }
        users--;
    }

    /** {@return true while there are users of timestamps} */
    public boolean isEnabled() {
        return users > 0;
    }

    /** {@return the real time, nanoseconds since 1970 ({@code ktime_get_real})} */
    public long nowNs() {
        return baseNs + clock.nanoTime();
    }

    /**
     * Sets a packet's timestamp, or clears it if timestamps are off ({@code net_timestamp_set}).
     *
     * @param skb the packet; the caller keeps it
     */
    public void set(SkBuff skb) {
        skb.meta().tstamp(users > 0 ? nowNs() : 0);
    }

    /**
     * Sets the timestamp of an arriving packet that has none, if timestamps are on ({@code net_timestamp_check}).
     *
     * @param skb the packet; the caller keeps it
     */
    public void check(SkBuff skb) {
        if (users > 0 && skb.meta().tstamp() == 0) {
            skb.meta().tstamp(nowNs());
        }
    }

    /**
     * Reports that the link takes a packet now ({@code skb_tx_timestamp}). Drivers call it. The sender of a packet with
     * {@link TxFlag#SW_TSTAMP} is notified, unless the link itself takes the time ({@link TxFlag#IN_PROGRESS}).
     *
     * @param skb the packet; the caller keeps it
     */
    public void transmitting(SkBuff skb) {
        if (skb.shinfo().hasTxFlag(TxFlag.SW_TSTAMP) && !skb.shinfo().hasTxFlag(TxFlag.IN_PROGRESS)) {
            skb.meta().tstamp(nowNs());
            if (skb.meta().owner() instanceof TransmitTimeListener listener) {
                listener.onTransmitTime(skb, false);
            }
        }
    }

    /**
     * Reports the link's time of sending a packet to its sender ({@code skb_tstamp_tx}). Drivers of links with a clock
     * call it. They set {@link TxFlag#IN_PROGRESS} when they accept such a packet.
     *
     * @param skb the packet; the caller keeps it
     * @param linkNs time of the link's clock, ns
     */
    public static void transmitted(SkBuff skb, long linkNs) {
        skb.shinfo().hwtstamp(linkNs);
        if (skb.meta().owner() instanceof TransmitTimeListener listener) {
            listener.onTransmitTime(skb, true);
        }
    }
}

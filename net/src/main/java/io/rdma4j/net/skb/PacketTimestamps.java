package io.rdma4j.net.skb;

import io.rdma4j.base.NanoClock;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.TxFlag;
import java.time.Instant;

/**
 * Whether a host stamps its packets, and with what time. One object a host, which all its devices consult; there is no other
 * state, so hosts in one JVM do not disturb each other.
 *
 * <p>Reading a clock for each packet costs, so nobody does until somebody asks for it: {@link #enable}. Stamps are nanoseconds
 * since 1970 ({@code ktime_get_real}): the base that {@link #setRealTime} leaves, and what the host's clock shows.
 */
public final class PacketTimestamps {
    private static final long NANOS = 1_000_000_000L;

    private final NanoClock clock;

    /** Real time when the clock shows 0. */
    private volatile long baseNs;

    private volatile int users;

    /**
     * Off; {@code clock} is the host's, and its time is the real one until somebody says better.
     *
     * @param clock of the host
     */
    public PacketTimestamps(NanoClock clock) {
        this.clock = clock;
    }

    /**
     * Says what the real time is at the moment ({@code clock_settime}); the clock carries it on. Any thread.
     *
     * @param now the real time
     */
    public void setRealTime(Instant now) {
        baseNs = now.getEpochSecond() * NANOS + now.getNano() - clock.nanoTime();
    }

    /** Somebody wants stamps ({@code net_enable_timestamp}); calls are counted. Any thread. */
    public synchronized void enable() {
        users++;
    }

    /**
     * Undoes one {@link #enable} ({@code net_disable_timestamp}); with the last one, stamping ends. Any thread.
     *
     * @throws IllegalStateException if nobody wants any
     */
    public synchronized void disable() {
        if (users == 0) {
            throw new IllegalStateException("disable of time stamps that nobody enabled");
        }
        users--;
    }

    /** {@return true while somebody wants stamps} */
    public boolean isEnabled() {
        return users > 0;
    }

    /** {@return the real time, nanoseconds since 1970 ({@code ktime_get_real})} */
    public long nowNs() {
        return baseNs + clock.nanoTime();
    }

    /**
     * Stamps a packet; takes its stamp away if nobody wants any ({@code net_timestamp_set}).
     *
     * @param skb stays the caller's
     */
    public void set(SkBuff skb) {
        skb.tstamp(users > 0 ? nowNs() : 0);
    }

    /**
     * Stamps a packet that has no stamp, if somebody wants any ({@code net_timestamp_check}): when it arrives.
     *
     * @param skb stays the caller's
     */
    public void check(SkBuff skb) {
        if (users > 0 && skb.tstamp() == 0) {
            skb.tstamp(nowNs());
        }
    }

    /**
     * The link takes a packet at this moment ({@code skb_tx_timestamp}): for drivers. The sender of a packet with
     * {@link TxFlag#SW_TSTAMP} is told, unless the link itself takes the time ({@link TxFlag#IN_PROGRESS}).
     *
     * @param skb stays the caller's
     */
    public void transmitting(SkBuff skb) {
        if (skb.hasTxFlag(TxFlag.SW_TSTAMP) && !skb.hasTxFlag(TxFlag.IN_PROGRESS)) {
            skb.tstamp(nowNs());
            if (skb.owner() instanceof TransmitTimeListener listener) {
                listener.onTransmitTime(skb, false);
            }
        }
    }

    /**
     * The link says when it sent a packet ({@code skb_tstamp_tx}), which the sender wanted to know and is told: for drivers of
     * links with a clock, which set {@link TxFlag#IN_PROGRESS} when they take such a packet.
     *
     * @param skb stays the caller's
     * @param linkNs time of the link's clock
     */
    public static void transmitted(SkBuff skb, long linkNs) {
        skb.hwtstamp(linkNs);
        if (skb.owner() instanceof TransmitTimeListener listener) {
            listener.onTransmitTime(skb, true);
        }
    }
}

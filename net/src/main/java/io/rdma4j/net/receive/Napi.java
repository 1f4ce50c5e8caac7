// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.receive;

import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.packet.SharedInfo;
import io.rdma4j.packet.SkBuff;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A polling context of a device, which a loop polls ({@code napi_struct}).
 *
 * <p>For the first packet, the driver calls {@link #schedule}. From then on the loop polls, and further packets cause
 * no notification, until a poll finds the link empty and calls {@link #complete}. A loop that threads run without pause
 * also polls contexts that are not scheduled, as {@code napi_busy_loop} does, if their links do not announce packets.
 *
 * <p>A new context is disabled. Any thread may call {@link #schedule}, {@link #enable}, {@link #disable} and the
 * queries. Only the loop's owner calls the other methods.
 */
public final class Napi {
    /** Default weight, packets per poll ({@code NAPI_POLL_WEIGHT}). */
    public static final int POLL_WEIGHT = 64;

    private static final int DISABLED = 1;
    private static final int SCHEDULED = 1 << 1;
    /** Scheduled again during a poll: the poll may have read the link before the new packet. */
    private static final int MISSED = 1 << 2;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Napi.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final NapiPoll source;
    private final int weight;
    private final GroReceive gro;
    private volatile int state = DISABLED;

    /** Number of the context in {@link #loop}, written before it. */
    private int number;

    private volatile @Nullable PollLoop loop;
    private volatile boolean signalled;

    Napi(NapiPoll source, int weight, GroReceive gro) {
        this.source = source;
        this.weight = weight;
        this.gro = gro;
    }

    /** {@return maximum number of packets in one poll} */
    public int weight() {
        return weight;
    }

    void join(PollLoop polling) {
        number = polling.add(this);
        loop = polling;
    }

    void leave(PollLoop polling) {
        loop = null;
        polling.remove(this);
    }

    /** Permits scheduling and polling ({@code napi_enable}). */
    public void enable() {
        signalled = source.isSignalled();
        state = 0;
        PollLoop polling = loop;
        if (polling != null) {
            polling.enabled(number);
        }
    }

    /**
     * Forbids scheduling and polling, and clears a pending schedule ({@code napi_disable}). A poll by another thread
     * ends first, and no poll begins afterwards. Packets that a failed poll left in GRO are dropped.
     */
    public void disable() {
        PollLoop polling = loop;
        if (polling == null) {
            forbid();
        } else {
            polling.exclusively(this::forbid);
        }
    }

    private void forbid() {
        state = DISABLED;
        gro.drop();
    }

    /** {@return true if it may be scheduled: between {@link #enable} and {@link #disable}} */
    public boolean isEnabled() {
        return (state & DISABLED) == 0;
    }

    /** {@return true from {@link #schedule} to {@link #complete}: the loop polls, and the driver need not notify it} */
    public boolean isScheduled() {
        return (state & SCHEDULED) != 0;
    }

    /** {@return true if its link announces packets: a poll without a schedule finds none} */
    public boolean isSignalled() {
        return signalled;
    }

    /** {@return true if a poll may find packets: it is scheduled, or its link does not announce them} */
    public boolean mayHavePackets() {
        return !signalled || isScheduled();
    }

    /**
     * Schedules a poll, because the link has packets ({@code napi_schedule}). The poll sees all writes that the caller
     * made before.
     *
     * @return false if it is disabled or already scheduled
     */
    public boolean schedule() {
        int before;
        int after;
        do {
            before = state;
            if ((before & DISABLED) != 0) {
                return false;
            }
            after = (before & SCHEDULED) == 0 ? SCHEDULED : SCHEDULED | MISSED;
        } while (!STATE.compareAndSet(this, before, after));
        PollLoop polling = loop;
        if ((before & SCHEDULED) == 0 && polling != null) {
            polling.raise(this, number);
        }
        return (before & SCHEDULED) == 0;
    }

    /**
     * Schedules a poll at {@code timeNs} of the loop's clock or earlier ({@code timer} of {@code napi_struct}), because
     * a packet of the driver is not due before. Called by the loop's owner. No effect without a loop; then the caller
     * of {@link #poll} keeps the time.
     *
     * @param timeNs time of the loop's clock, ns
     */
    public void pollAt(long timeNs) {
        PollLoop polling = loop;
        if (polling != null) {
            polling.pollAt(this, timeNs);
        }
    }

    /**
     * Ends polling because the link is empty ({@code napi_complete_done}). The next packet schedules it again.
     *
     * @return false if it was scheduled since the poll began; then it must be polled again
     */
    public boolean complete() {
        int before;
        int after;
        do {
            before = state;
            after = (before & MISSED) == 0 ? before & ~SCHEDULED : before & ~MISSED;
        } while (!STATE.compareAndSet(this, before, after));
        return (after & SCHEDULED) == 0;
    }

    /**
     * Polls once in a run of the loop ({@code napi_poll}). If less than the budget was used, polling is complete;
     * otherwise the context stays scheduled. No effect while it is disabled. Allocates nothing.
     *
     * @param budget packets that all contexts together may still receive, at least 1
     * @return number of packets
     */
    public int run(int budget) {
        int now = state;
        if ((now & DISABLED) != 0) {
            return 0;
        }
        int most = Math.min(weight, budget);
        int done = poll(most);
        if (done == most) {
            STATE.compareAndSet(this, 0, SCHEDULED);
        } else if (state != 0) {
            complete();
        }
        return done;
    }

    /**
     * Receives packets until the link has none or {@code budget} is used, whether it is scheduled or not.
     *
     * @param budget packets
     * @return number of packets; less than {@code budget} if the link is empty
     */
    public int poll(int budget) {
        int done = source.poll(budget);
        gro.flush();
        return done;
    }

    /**
     * Receives a packet that begins with its link header ({@code napi_gro_receive}). A driver calls it during a poll.
     * Works as {@code NetDevice.receive}, but may keep the packet until the end of the poll, to merge it with the
     * following ones. The device must have the feature {@link NetDeviceFeature#GRO}, and the packet's receiver must
     * accept merged packets. Other receivers get single packets.
     *
     * @param skb the packet; the receiver owns it from now on
     */
    public void groReceive(SkBuff skb) {
        gro.receive(skb);
    }

    /**
     * Returns whether a train of datagrams that the link has merged may pass uncut. A driver calls it before it
     * delivers the train, and otherwise delivers single datagrams. The train must be cut if the device lacks the
     * feature {@link NetDeviceFeature#GRO}, or the receiver does not accept trains. It must also be cut if a tap,
     * filter or bridge sees all packets of the device.
     *
     * @param train a linear packet with {@link SharedInfo#gso}, its device and header offsets set; it begins with the
     *     IP header of its first datagram, whose lengths are those of the whole train; the caller keeps it
     * @return true if it may pass uncut
     */
    public boolean takesTrain(SkBuff train) {
        return gro.takesTrain(train);
    }
}

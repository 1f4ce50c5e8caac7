package io.rdma4j.net;

import io.rdma4j.packet.SkBuff;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One source of packets of a device, which a loop polls ({@code napi_struct}).
 *
 * <p>The first packet makes its driver {@link #schedule} it; from then on it is polled, and further packets disturb nobody,
 * until a poll finds the link empty and {@link #complete} gives the word back to the driver. A loop that somebody visits
 * without pause polls what is not scheduled as well, as {@code napi_busy_loop} does.
 *
 * <p>Made disabled. {@link #schedule} may be called by any thread; {@link #poll}, {@link #run} and {@link #complete} by the
 * owner of the loop; the others while nobody is in the loop.
 */
public final class Napi {
    /** The usual weight, packets per poll ({@code NAPI_POLL_WEIGHT}). */
    public static final int POLL_WEIGHT = 64;

    private static final int DISABLED = 1;
    private static final int SCHEDULED = 1 << 1;
    /** Scheduled again while it was polled: the poll may have looked too early. */
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
    private volatile @Nullable PollLoop loop;

    Napi(NapiPoll source, int weight, GroReceive gro) {
        this.source = source;
        this.weight = weight;
        this.gro = gro;
    }

    /** {@return packets that it may hand over before others have their turn} */
    public int weight() {
        return weight;
    }

    void loop(@Nullable PollLoop polling) {
        loop = polling;
    }

    /** Lets it be scheduled and polled ({@code napi_enable}). */
    public void enable() {
        state = 0;
    }

    /** Forbids it, and forgets that it was scheduled ({@code napi_disable}); what a poll that failed held back is dropped. */
    public void disable() {
        state = DISABLED;
        gro.drop();
    }

    /** {@return true if it may be scheduled: between {@link #enable} and {@link #disable}} */
    public boolean isEnabled() {
        return (state & DISABLED) == 0;
    }

    /**
     * {@return true from {@link #schedule} to {@link #complete}: it is polled, and its driver need not say anything}
     */
    public boolean isScheduled() {
        return (state & SCHEDULED) != 0;
    }

    /**
     * The link has something ({@code napi_schedule}): hands over to polling. What the caller did before is seen by the poll.
     *
     * @return false if it is disabled or scheduled already
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
            polling.raise(this);
        }
        return (before & SCHEDULED) == 0;
    }

    /**
     * The driver has something that is for nobody before {@code timeNs} of the loop's clock: it is polled then, or before ({@code timer} of
     * {@code napi_struct}). By the owner of the loop; whoever is polled by hand looks after time as well.
     *
     * @param timeNs of the loop's clock
     */
    public void pollAt(long timeNs) {
        PollLoop polling = loop;
        if (polling != null) {
            polling.pollAt(this, timeNs);
        }
    }

    /**
     * The link is empty ({@code napi_complete_done}): the next packet schedules again.
     *
     * @return false if it was scheduled since the poll began: it must be polled once more
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
     * Its turn in the loop ({@code napi_poll}): polls, and is complete if that left something of the budget, else stays
     * scheduled. Nothing happens while it is disabled. Allocates nothing.
     *
     * @param budget what is left for all, packets, at least 1
     * @return how many there were
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
     * Hands over packets until the link has none or {@code budget} is used up, whether it is scheduled or not.
     *
     * @param budget packets
     * @return how many; less than {@code budget} means that the link was empty
     */
    public int poll(int budget) {
        int done = source.poll(budget);
        gro.flush();
        return done;
    }

    /**
     * For drivers, while they are polled: takes a packet from the link that begins with its link header ({@code napi_gro_receive}), as
     * {@link NetDevice#receive} does, but may hold it back until the end of the poll, to join what follows it. That happens if the
     * device has the feature {@link NetDeviceFeature#GRO} and the packet's receiver asked for it; all others see packets as they came.
     *
     * @param skb the receiver's from now on
     */
    public void groReceive(SkBuff skb) {
        gro.receive(skb);
    }

    /**
     * For drivers whose link merges datagrams of one size to a train, before they hand it over: whether it may go up in one piece. If not, the driver
     * cuts it, and hands over one datagram after the other. It may not if the device lacks the feature {@link NetDeviceFeature#GRO}, the
     * receiver does not take trains, or somebody looks at all packets of the device.
     *
     * @param train linear, begins with the IP header of its first datagram, whose lengths are those of all; with
     *     {@link SkBuff#gso}, its device, and the places of its headers; stays the caller's
     * @return true if it may
     */
    public boolean takesTrain(SkBuff train) {
        return gro.takesTrain(train);
    }
}

package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.skb.FlowHash;
import io.rdma4j.packet.SkBuff;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * The backlogs of a loop's workers: packets whose flow was given to one of them wait here until it comes (receive packet steering).
 * Belongs to the owner of the loop, but for what says otherwise.
 */
public final class Softnet {
    /** The most workers there can be. */
    public static final int MAX_WORKERS = Long.SIZE;

    /** Stands for a thread that is no worker and lends its time to all of them; what it does is counted for worker 0. */
    public static final int NO_WORKER = -1;

    /** {@code netdev_max_backlog}. */
    private static final int DEFAULT_BACKLOG = 1000;

    private final SoftnetData[] data = new SoftnetData[MAX_WORKERS];
    private final FlowHash hash;
    private final LongSupplier workers;
    private final IntConsumer wake;
    private volatile int maxBacklog = DEFAULT_BACKLOG;
    private volatile long waiting;
    private int steered;

    /**
     * Empty backlogs.
     *
     * @param hash of the host
     * @param workers which there are, bit 0 for worker 0
     * @param wake wakes a worker that sleeps ({@code net_rps_send_ipi})
     */
    public Softnet(FlowHash hash, LongSupplier workers, IntConsumer wake) {
        this.hash = hash;
        this.workers = workers;
        this.wake = wake;
        for (int worker = 0; worker < MAX_WORKERS; worker++) {
            data[worker] = new SoftnetData();
        }
    }

    /**
     * {@return what waits for a worker, and what it has done}
     *
     * @param number number of the worker, from 0
     */
    public SoftnetData worker(int number) {
        return data[number];
    }

    /** {@return packets that may wait for a worker ({@code netdev_max_backlog}); 1000 unless changed} Any thread. */
    public int maxBacklog() {
        return maxBacklog;
    }

    /**
     * Changes it.
     *
     * @param packets at least 1, for each worker
     * @throws RdmaException EINVAL if it is less than 1
     */
    public void maxBacklog(int packets) {
        if (packets < 1) {
            throw new RdmaException(Errno.EINVAL, "netdev_max_backlog " + packets + " is less than 1");
        }
        maxBacklog = packets;
    }

    /** {@return a line for each worker that is there or has done something ({@code /proc/net/softnet_stat})} */
    public List<String> lines() {
        long there = workers.getAsLong();
        List<String> lines = new ArrayList<>();
        for (int worker = 0; worker < MAX_WORKERS; worker++) {
            if (!data[worker].isIdle() || there != -1 && (there >>> worker & 1) != 0) {
                lines.add(data[worker].line(worker));
            }
        }
        return lines;
    }

    /** The hash of a packet's flow, which keeps it on one queue and one worker; 0 if it has none. */
    int flowHash(SkBuff skb) {
        return hash.of(skb);
    }

    /**
     * Puts a packet, whose link header is off, into the backlog of the worker that its flow belongs to ({@code get_rps_cpu}).
     *
     * @param allowed workers to choose from
     * @return false if none of them is there, or the packet has no flow: it stays the caller's
     */
    boolean steer(SkBuff skb, NetDevice device, long allowed) {
        long there = allowed & workers.getAsLong();
        int flow = there == 0 ? 0 : hash.of(skb);
        if (flow == 0) {
            return false;
        }
        int worker = choose(there, flow);
        steered++;
        if (data[worker].enqueue(skb, maxBacklog)) {
            waiting |= 1L << worker;
            if (data[worker].backlog() == 1) {
                wake.accept(worker);
            }
        } else {
            device.stats().countReceiveDrop();
            skb.free();
        }
        return true;
    }

    /** The worker whose share of all hashes {@code flow} is in. */
    private static int choose(long there, int flow) {
        int skip = (int) (Integer.toUnsignedLong(flow) * Long.bitCount(there) >>> Integer.SIZE);
        long left = there;
        for (; skip > 0; skip--) {
            left &= left - 1;
        }
        return Long.numberOfTrailingZeros(left);
    }

    /**
     * {@return true if packets wait for a worker, or for any one if that is {@link #NO_WORKER}; any thread}
     *
     * @param worker number of the worker, from 0
     */
    public boolean isWaiting(int worker) {
        return worker == NO_WORKER ? waiting != 0 : (waiting >>> worker & 1) != 0;
    }

    /**
     * Hands what waits for a worker to its protocols ({@code process_backlog}).
     *
     * @param worker whose, or {@link #NO_WORKER} for all
     * @param budget packets at most
     * @return how many there were
     */
    public int process(int worker, int budget) {
        int done = 0;
        for (long left = worker == NO_WORKER ? waiting : waiting & 1L << worker; left != 0; left &= left - 1) {
            done += processOne(Long.numberOfTrailingZeros(left), budget - done);
        }
        return done;
    }

    private int processOne(int worker, int budget) {
        SoftnetData of = data[worker];
        int done = 0;
        while (done < budget) {
            SkBuff skb = of.dequeue();
            if (skb == null) {
                break;
            }
            done++;
            if (skb.device() instanceof NetDevice device) {
                device.receiveSteered(skb);
            }
        }
        of.countProcessed(done);
        if (of.backlog() == 0) {
            waiting &= ~(1L << worker);
        }
        return done;
    }

    /** {@return packets that were put into backlogs so far: who counts what was polled leaves them out} */
    public int steered() {
        return steered;
    }

    /**
     * A worker has handed packets from a device to protocols.
     *
     * @param worker number of the worker, from 0
     * @param packets how many
     */
    public void countProcessed(int worker, int packets) {
        data[Math.max(worker, 0)].countProcessed(packets);
    }

    /**
     * The visit of a worker ended with the budget used up and packets left.
     *
     * @param worker number of the worker, from 0
     */
    public void countSqueeze(int worker) {
        data[Math.max(worker, 0)].countSqueeze();
    }

    /**
     * Drops what waits and {@code condition} holds of.
     *
     * @param condition asked of each; changes nothing
     * @return how many there were
     */
    public int drop(Predicate<? super SkBuff> condition) {
        int dropped = 0;
        for (long left = waiting; left != 0; left &= left - 1) {
            int worker = Long.numberOfTrailingZeros(left);
            dropped += data[worker].drop(condition);
            if (data[worker].backlog() == 0) {
                waiting &= ~(1L << worker);
            }
        }
        return dropped;
    }
}

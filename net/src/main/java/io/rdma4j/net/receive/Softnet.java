// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.receive;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.device.NetDeviceStats;
import io.rdma4j.net.skb.FlowHash;
import io.rdma4j.packet.SkBuff;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * The backlogs of a loop's workers (receive packet steering). A packet waits in the backlog of its flow's worker until
 * that worker runs. Only the loop's owner calls it, except where noted.
 */
public final class Softnet {
    /** Maximum number of workers. */
    public static final int MAX_WORKERS = Long.SIZE;

    /**
     * In place of a worker number: a thread that is no worker and processes all backlogs; its work is counted for
     * worker 0.
     */
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
     * Creates empty backlogs.
     *
     * @param hash flow hash of the host
     * @param workers present workers, bit 0 for worker 0
     * @param wake wakes a sleeping worker ({@code net_rps_send_ipi})
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
     * {@return the backlog and the counters of a worker}
     *
     * @param number number of the worker, from 0
     */
    public SoftnetData worker(int number) {
        return data[number];
    }

    /**
     * {@return maximum number of packets in a worker's backlog ({@code netdev_max_backlog}); 1000 by default} Any
     * thread may call it.
     */
    public int maxBacklog() {
        return maxBacklog;
    }

    /**
     * Sets the maximum number of packets in a worker's backlog.
     *
     * @param packets at least 1
     * @throws RdmaException EINVAL for less than 1
     */
    public void maxBacklog(int packets) {
        if (packets < 1) {
            throw new RdmaException(Errno.EINVAL, "netdev_max_backlog " + packets + " is less than 1");
        }
        maxBacklog = packets;
    }

    /** {@return one line for each worker that is present or has processed packets ({@code /proc/net/softnet_stat})} */
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

    /** Returns the hash of a packet's flow, which selects its queue and worker; 0 if it has none. */
    int flowHash(SkBuff skb) {
        return hash.of(skb);
    }

    /**
     * Queues a packet without link header in the backlog of its flow's worker ({@code get_rps_cpu}). {@code allowed} is
     * the set of workers to choose from.
     *
     * @return false if none of them is present, or the packet has no flow; then the caller keeps it
     */
    boolean steer(SkBuff skb, NetDeviceStats stats, long allowed) {
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
            stats.countReceiveDrop();
            skb.free();
        }
        return true;
    }

    /** Returns the worker for a flow: each worker gets an equal range of hashes. */
    private static int choose(long there, int flow) {
        int skip = (int) (Integer.toUnsignedLong(flow) * Long.bitCount(there) >>> Integer.SIZE);
        long left = there;
        for (; skip > 0; skip--) {
            left &= left - 1;
        }
        return Long.numberOfTrailingZeros(left);
    }

    /**
     * {@return true if packets wait for a worker, for {@link #NO_WORKER} in any backlog} Any thread may call it.
     *
     * @param worker number of the worker, or {@link #NO_WORKER}
     */
    public boolean isWaiting(int worker) {
        return worker == NO_WORKER ? waiting != 0 : (waiting >>> worker & 1) != 0;
    }

    /**
     * Delivers the packets of a worker's backlog to their protocols ({@code process_backlog}).
     *
     * @param worker number of the worker, or {@link #NO_WORKER} for all
     * @param budget maximum number of packets
     * @return number of packets
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
            if (skb.meta().device() instanceof SteeredDevice device) {
                device.receiveSteered(skb);
            }
        }
        of.countProcessed(done);
        if (of.backlog() == 0) {
            waiting &= ~(1L << worker);
        }
        return done;
    }

    /** {@return total number of packets put into backlogs; the count of polled packets must exclude them} */
    public int steered() {
        return steered;
    }

    /**
     * Counts packets that a worker delivered from a device to protocols.
     *
     * @param worker number of the worker, or {@link #NO_WORKER}
     * @param packets number of packets
     */
    public void countProcessed(int worker, int packets) {
        data[Math.max(worker, 0)].countProcessed(packets);
    }

    /**
     * Counts a run that ended with the budget used up and packets left.
     *
     * @param worker number of the worker, or {@link #NO_WORKER}
     */
    public void countSqueeze(int worker) {
        data[Math.max(worker, 0)].countSqueeze();
    }

    /**
     * Drops matching packets in all backlogs.
     *
     * @param condition selects packets; changes nothing
     * @return number of dropped packets
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

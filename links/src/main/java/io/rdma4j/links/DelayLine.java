// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.packet.SkBuff;

/**
 * One direction of a link with latency between two machines that run side by side in virtual time, each with a clock of
 * its own. Their caller divides time into windows no longer than the latency, so that no packet is sent and arrives in
 * the same window. Before a window, while no machine runs, {@link #collect} takes over the packets that arrive in it.
 * In the window, the receiving machine takes them with {@link #deliver}, while the sending one sends others.
 *
 * <p>What arrives does not depend on the order in which the machines run.
 */
public final class DelayLine {
    private final FaultyLink from;
    private final VethDevice to;
    private final TimedPackets arriving = new TimedPackets();

    private DelayLine(FaultyLink from, VethDevice to) {
        this.from = from;
        this.to = to;
    }

    /**
     * {@return the direction of a link from a device to the other end} Packets that the device sends wait for {@link
     * #collect} from now on. Those that are not collected are lost when the device goes down.
     *
     * @param from faults of a veth device
     * @throws RdmaException EINVAL if the device is no veth device
     */
    public static DelayLine open(FaultyLink from) {
        if (!(from.driver() instanceof VethDevice veth)) {
            throw new RdmaException(Errno.EINVAL, "a delay line is between veth devices");
        }
        from.holdSent();
        return new DelayLine(from, veth.peer());
    }

    /** {@return time at which the first packet arrives that is not collected, ns; {@code Deadline.NEVER} for none} */
    public long firstSentNs() {
        return from.firstSentNs();
    }

    /**
     * Takes over the packets that arrive before a time. Neither machine runs meanwhile.
     *
     * @param endNs end of the next window
     */
    public void collect(long endNs) {
        long timeNs = from.firstSentNs();
        for (SkBuff packet = from.takeSent(endNs - 1); packet != null; packet = from.takeSent(endNs - 1)) {
            arriving.add(timeNs, packet);
            timeNs = from.firstSentNs();
        }
    }

    /** {@return time at which the first collected packet arrives, ns; {@code Deadline.NEVER} for none} */
    public long firstArrivalNs() {
        return arriving.firstNs();
    }

    /**
     * Passes collected packets that are due to the receiving device, whose loop is then due. By the receiving machine.
     *
     * @param nowNs its time
     */
    public void deliver(long nowNs) {
        while (arriving.due(nowNs) != null) {
            to.arrive(arriving.removeFirst());
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testkit;

import io.rdma4j.links.FaultyLink;
import io.rdma4j.links.LinkEvent;
import io.rdma4j.links.LinkProfile;
import io.rdma4j.links.LinkStats;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What happens to the packets that a host sends. A change is effective from the next packet on. Any thread; two threads
 * must not change one link at the same time.
 */
public final class FabricLink {
    private final String host;
    private final @Nullable FaultyLink faults;

    FabricLink(String host, @Nullable FaultyLink faults) {
        this.host = host;
        this.faults = faults;
    }

    private FaultyLink faults() {
        if (faults == null) {
            throw new IllegalStateException("the link of " + host
                    + " has no faults that can be changed: give it some in the topology, for example \"delay 1us\"");
        }
        return faults;
    }

    /** {@return the present properties} */
    public LinkProfile profile() {
        return faults().send().profile();
    }

    /**
     * Replaces all properties.
     *
     * @param profile the new properties
     */
    public void profile(LinkProfile profile) {
        faults().send().profile(profile);
    }

    private void change(UnaryOperator<LinkProfile> change) {
        profile(change.apply(profile()));
    }

    /**
     * Sets the probability that a packet is lost.
     *
     * @param probability 0 to 1
     */
    public void loss(double probability) {
        change(profile -> profile.withLoss(probability));
    }

    /**
     * Sets the time from the departure of a packet to its arrival.
     *
     * @param delay the same for all packets
     */
    public void delay(Duration delay) {
        change(profile -> profile.withLatencyNs(delay.toNanos()));
    }

    /**
     * Sets the probability that a packet arrives twice.
     *
     * @param probability 0 to 1
     */
    public void duplication(double probability) {
        change(profile -> profile.withDuplication(probability));
    }

    /**
     * Sets the probability that later packets overtake a packet.
     *
     * @param probability 0 to 1
     * @param delay maximum additional delay of such a packet
     */
    public void reordering(double probability, Duration delay) {
        change(profile -> profile.withReordering(probability, delay.toNanos()));
    }

    /**
     * Sets the probability that bits of a packet are changed.
     *
     * @param probability 0 to 1
     */
    public void corruption(double probability) {
        change(profile -> profile.withCorruption(probability));
    }

    /** {@return the number of packets lost at random so far} */
    public long lost() {
        return stats().count(LinkEvent.LOST);
    }

    /** {@return the counters of all events of packets} */
    public LinkStats stats() {
        return faults().send().stats();
    }
}

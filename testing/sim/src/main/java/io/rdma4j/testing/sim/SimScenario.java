// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.Psn;
import io.rdma4j.base.RdmaException;
import io.rdma4j.links.LinkProfile;
import io.rdma4j.transport.port.CongestionControl;
import io.rdma4j.transport.port.TransportOptions;
import org.jspecify.annotations.Nullable;

/**
 * Parameters of one run of the simulation: two hosts, a reliable connection, messages in both directions. The seed
 * determines everything else: IP version, queue depths, timers, posting times, memory layout of messages.
 *
 * @param seed seed of all random decisions
 * @param link impairments of both directions of the link
 * @param messages messages in each direction, at least 1
 * @param minBytes shortest message
 * @param maxBytes longest message, at most 2^26
 * @param pathMtu payload of a full packet; null: the seed determines it
 * @param firstPsn first PSN of both directions, 24 bits; null: the seed determines it
 * @param transport transport options of both devices
 * @param prompt whether applications post as soon as they can, with timers far above the round trip; else the seed
 *     determines both, so that timers expire and queues become empty in every run
 */
public record SimScenario(
        long seed,
        LinkProfile link,
        int messages,
        int minBytes,
        int maxBytes,
        @Nullable Mtu pathMtu,
        @Nullable Integer firstPsn,
        TransportOptions transport,
        boolean prompt) {
    private static final int MAX_MESSAGE_BYTES = 1 << 26;

    /** A network with random loss may lose any number of packets in a row, so the retry count must be unlimited. */
    private static final TransportOptions ENDLESS_RETRIES = TransportOptions.DEFAULT.withRetrySevenForever();

    /** @throws RdmaException EINVAL for a value out of range */
    public SimScenario {
        if (messages < 1) {
            throw new RdmaException(Errno.EINVAL, "messages " + messages + ": at least 1 is needed");
        }
        if (minBytes < 0 || minBytes > maxBytes || maxBytes > MAX_MESSAGE_BYTES) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "sizes " + minBytes + "-" + maxBytes + " are not MIN-MAX with 0 <= MIN <= MAX <= "
                            + MAX_MESSAGE_BYTES);
        }
        if (firstPsn != null && Psn.of(firstPsn) != firstPsn) {
            throw new RdmaException(Errno.EINVAL, "PSN " + firstPsn + " has more than 24 bits");
        }
    }

    /** Returns a scenario of 40 messages of up to 8 KiB in each direction over a link without faults. */
    public static SimScenario of(long seed) {
        return new SimScenario(seed, LinkProfile.PERFECT, 40, 0, 8192, null, null, ENDLESS_RETRIES, false);
    }

    public SimScenario withLink(LinkProfile profile) {
        return new SimScenario(seed, profile, messages, minBytes, maxBytes, pathMtu, firstPsn, transport, prompt);
    }

    public SimScenario withSeed(long other) {
        return new SimScenario(other, link, messages, minBytes, maxBytes, pathMtu, firstPsn, transport, prompt);
    }

    public SimScenario withMessages(int count) {
        return new SimScenario(seed, link, count, minBytes, maxBytes, pathMtu, firstPsn, transport, prompt);
    }

    public SimScenario withSizes(int min, int max) {
        return new SimScenario(seed, link, messages, min, max, pathMtu, firstPsn, transport, prompt);
    }

    public SimScenario withPathMtu(@Nullable Mtu mtu) {
        return new SimScenario(seed, link, messages, minBytes, maxBytes, mtu, firstPsn, transport, prompt);
    }

    public SimScenario withFirstPsn(int psn) {
        return new SimScenario(seed, link, messages, minBytes, maxBytes, pathMtu, psn, transport, prompt);
    }

    /** Returns this scenario with devices that keep request packets which arrive before a missing one. */
    public SimScenario withOutOfOrderPlacement() {
        return withTransport(transport.withOutOfOrderPlacement());
    }

    /**
     * Returns this scenario with congestion control. Connections begin at the speed of the link, if the link has one.
     */
    public SimScenario withCongestionControl() {
        CongestionControl numbers = CongestionControl.DEFAULT;
        return withTransport(transport.withCongestionControl(
                link.bitsPerSecond() == 0 ? numbers : numbers.withLineRate(link.bitsPerSecond())));
    }

    /** True if the devices use congestion control. */
    public boolean controlsCongestion() {
        return transport.congestionControl() != null;
    }

    /** True if the devices keep request packets that arrive before a missing one. */
    public boolean placesOutOfOrder() {
        return transport.placesOutOfOrder();
    }

    /** Returns this scenario with prompt applications, for measurements of the network. */
    public SimScenario withPromptApplications() {
        return new SimScenario(seed, link, messages, minBytes, maxBytes, pathMtu, firstPsn, transport, true);
    }

    public SimScenario withTransport(TransportOptions options) {
        return new SimScenario(seed, link, messages, minBytes, maxBytes, pathMtu, firstPsn, options, prompt);
    }
}

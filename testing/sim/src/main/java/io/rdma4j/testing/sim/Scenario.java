package io.rdma4j.testing.sim;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.Psn;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.link.LinkProfile;
import io.rdma4j.transport.CongestionControl;
import io.rdma4j.transport.TransportOptions;
import org.jspecify.annotations.Nullable;

/**
 * A run of the simulation: two hosts, a reliable connection, messages both ways. What is not said here the seed decides:
 * IP version, queue depths, timers, who posts when, how messages lie in memory.
 *
 * @param seed of everything
 * @param link what both directions of the link do to packets
 * @param messages in each direction, at least 1
 * @param minBytes shortest message
 * @param maxBytes longest message, at most 2^26
 * @param pathMtu payload of a full packet; null lets the seed decide
 * @param firstPsn of both directions, 24 bits; null lets the seed decide
 * @param transport choices of both devices
 */
public record Scenario(
        long seed,
        LinkProfile link,
        int messages,
        int minBytes,
        int maxBytes,
        @Nullable Mtu pathMtu,
        @Nullable Integer firstPsn,
        TransportOptions transport) {
    private static final int MAX_MESSAGE_BYTES = 1 << 26;

    /** What a network that loses packets by chance needs: it may lose any number of them in a row. */
    private static final TransportOptions ENDLESS_RETRIES = TransportOptions.DEFAULT.withRetrySevenForever();

    /** @throws RdmaException EINVAL for a value out of range */
    public Scenario {
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

    /** Forty messages of up to 8 KiB each way over a link without faults. */
    public static Scenario of(long seed) {
        return new Scenario(seed, LinkProfile.PERFECT, 40, 0, 8192, null, null, ENDLESS_RETRIES);
    }

    public Scenario withLink(LinkProfile profile) {
        return new Scenario(seed, profile, messages, minBytes, maxBytes, pathMtu, firstPsn, transport);
    }

    public Scenario withSeed(long other) {
        return new Scenario(other, link, messages, minBytes, maxBytes, pathMtu, firstPsn, transport);
    }

    public Scenario withMessages(int count) {
        return new Scenario(seed, link, count, minBytes, maxBytes, pathMtu, firstPsn, transport);
    }

    public Scenario withSizes(int min, int max) {
        return new Scenario(seed, link, messages, min, max, pathMtu, firstPsn, transport);
    }

    public Scenario withPathMtu(@Nullable Mtu mtu) {
        return new Scenario(seed, link, messages, minBytes, maxBytes, mtu, firstPsn, transport);
    }

    public Scenario withFirstPsn(int psn) {
        return new Scenario(seed, link, messages, minBytes, maxBytes, pathMtu, psn, transport);
    }

    /** With devices that keep what comes before its turn. */
    public Scenario withOutOfOrderPlacement() {
        return withTransport(transport.withOutOfOrderPlacement());
    }

    /** With connections that slow down where packets meet congestion; from the speed of the link on, if it has one. */
    public Scenario withCongestionControl() {
        CongestionControl numbers = CongestionControl.DEFAULT;
        return withTransport(transport.withCongestionControl(
                link.bitsPerSecond() == 0 ? numbers : numbers.withLineRate(link.bitsPerSecond())));
    }

    /** True if connections slow down where packets meet congestion. */
    public boolean controlsCongestion() {
        return transport.congestionControl() != null;
    }

    /** True if the devices keep what comes before its turn. */
    public boolean placesOutOfOrder() {
        return transport.placesOutOfOrder();
    }

    public Scenario withTransport(TransportOptions options) {
        return new Scenario(seed, link, messages, minBytes, maxBytes, pathMtu, firstPsn, options);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.tc;

import io.rdma4j.links.FaultyLink;
import io.rdma4j.links.LinkProfile;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.sched.PfifoFast;
import io.rdma4j.net.sched.Prio;
import io.rdma4j.net.sched.Qdisc;
import io.rdma4j.net.sched.TokenBucket;
import io.rdma4j.net.transmit.NetdevQueue;
import io.rdma4j.netlab.topology.LinkWords;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Formats the output of {@code tc qdisc show} for a device. Only for the owner of the loop. */
final class QdiscText {
    private static final int PRIORITIES = 16;
    private static final double PERCENT = 100;

    private QdiscText() {}

    /**
     * Returns a line for the link's faults, if there are any, and a line for the qdisc of the first queue.
     *
     * @param statistics true to add a line with counters
     */
    static List<String> of(NetDevice device, boolean statistics) {
        List<String> lines = new ArrayList<>();
        FaultyLink faults = FaultyLink.on(device);
        boolean isFaulty = faults != null && !isPlain(faults.send().profile());
        if (faults != null && isFaulty) {
            lines.add("qdisc netem 8001: dev " + device.name() + " root"
                    + netem(faults.send().profile()));
        }
        NetdevQueue first = device.transmitQueues().queue(0);
        Qdisc qdisc = first.qdisc();
        lines.add("qdisc " + first.qdiscKind() + " " + handle(qdisc) + " dev " + device.name()
                + (isFaulty ? " parent 8001:1" : " root") + options(qdisc));
        if (statistics) {
            lines.add(statistics(device));
        }
        return lines;
    }

    /** True if a link has no effect on packets; its MTU is ignored. */
    static boolean isPlain(LinkProfile profile) {
        return profile.withMtuBytes(LinkWords.PLAIN.mtuBytes()).equals(LinkWords.PLAIN);
    }

    private static String handle(@Nullable Qdisc qdisc) {
        return qdisc == null || qdisc instanceof PfifoFast ? "0:" : "1:";
    }

    private static String options(@Nullable Qdisc qdisc) {
        return switch (qdisc) {
            case null -> "";
            case Prio prio -> " bands " + prio.bands() + " priomap " + priorityMap(prio.bands());
            case TokenBucket bucket ->
                " rate " + rate(bucket.bytesPerSecond() * Byte.SIZE) + " burst " + bucket.burstBytes() + "b";
            default -> "";
        };
    }

    private static String priorityMap(int bands) {
        return IntStream.range(0, PRIORITIES)
                .map(priority -> Math.min(PfifoFast.bandOf(priority), bands - 1))
                .mapToObj(Integer::toString)
                .collect(Collectors.joining(" "));
    }

    private static String netem(LinkProfile profile) {
        StringBuilder text = new StringBuilder(" limit " + profile.queuePackets());
        if (profile.latencyNs() > 0 || profile.jitterNs() > 0) {
            text.append(" delay ").append(time(profile.latencyNs()));
            if (profile.jitterNs() > 0) {
                text.append(' ').append(time(profile.jitterNs()));
            }
        }
        share(text, "loss", profile.loss());
        share(text, "duplicate", profile.duplication());
        share(text, "reorder", profile.reordering());
        share(text, "corrupt", profile.corruption());
        if (profile.bitsPerSecond() > 0) {
            text.append(" rate ").append(rate(profile.bitsPerSecond()));
        }
        return text.toString();
    }

    private static void share(StringBuilder text, String name, double share) {
        if (share > 0) {
            text.append(' ')
                    .append(name)
                    .append(' ')
                    .append(number(share * PERCENT))
                    .append('%');
        }
    }

    private static String time(long ns) {
        if (ns >= 1_000_000_000L) {
            return number(ns / 1e9) + "s";
        }
        return ns >= 1_000_000 ? number(ns / 1e6) + "ms" : number(ns / 1e3) + "us";
    }

    private static String rate(long bitsPerSecond) {
        if (bitsPerSecond >= 1_000_000_000L) {
            return number(bitsPerSecond / 1e9) + "Gbit";
        }
        if (bitsPerSecond >= 1_000_000) {
            return number(bitsPerSecond / 1e6) + "Mbit";
        }
        return bitsPerSecond >= 1000 ? number(bitsPerSecond / 1e3) + "Kbit" : bitsPerSecond + "bit";
    }

    private static String number(double value) {
        String digits = String.format(Locale.ROOT, "%.3f", value);
        return digits.replaceAll("\\.?0+$", "");
    }

    private static String statistics(NetDevice device) {
        long drops = 0;
        long requeues = 0;
        int waiting = 0;
        for (int i = 0; i < device.transmitQueues().realCount(); i++) {
            NetdevQueue queue = device.transmitQueues().queue(i);
            Qdisc qdisc = queue.qdisc();
            drops += queue.drops();
            requeues += queue.requeues();
            waiting += qdisc == null ? 0 : qdisc.length();
        }
        return " Sent " + device.stats().txBytes() + " bytes " + device.stats().txPackets() + " pkt (dropped " + drops
                + ", requeues " + requeues + ") backlog " + waiting + "p";
    }
}

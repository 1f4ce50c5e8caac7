// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.topology;

import io.rdma4j.links.LinkProfile;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Parses the properties of a link in the words of {@code tc qdisc … netem}: {@code delay TIME [JITTER]}, {@code loss},
 * {@code duplicate}, {@code reorder} and {@code corrupt PERCENT}, {@code rate RATE}, {@code limit PACKETS}, and {@code
 * mtu BYTES}, in any order.
 */
public final class LinkWords {
    /**
     * A link without any of these words: it delivers all packets in order, without delay and unchanged; its MTU is
     * 1500.
     */
    public static final LinkProfile PLAIN = LinkProfile.PERFECT.withLatencyNs(0).withMtuBytes(1500);

    private static final Map<String, Double> NANOSECONDS = Map.of("ns", 1.0, "us", 1e3, "ms", 1e6, "s", 1e9);
    private static final Map<String, Double> BITS_PER_SECOND = Map.of(
            "bit", 1.0, "kbit", 1e3, "mbit", 1e6, "gbit", 1e9, "bps", 8.0, "kbps", 8e3, "mbps", 8e6, "gbps", 8e9);

    private final Iterator<String> rest;
    private String next;

    private LinkWords(List<String> words) {
        this.rest = words.iterator();
        this.next = "";
        advance();
    }

    /**
     * Parses the words of a link.
     *
     * @param words single words, such as {@code delay} and {@code 5ms}
     * @return properties of the link
     * @throws IllegalArgumentException for an unknown word or an invalid value
     */
    public static LinkProfile parse(List<String> words) {
        LinkWords reader = new LinkWords(words);
        LinkProfile profile = PLAIN;
        while (!reader.next.isEmpty()) {
            profile = reader.readOne(profile);
        }
        return profile;
    }

    private void advance() {
        next = rest.hasNext() ? rest.next() : "";
    }

    private String value(String name) {
        if (next.isEmpty()) {
            throw new IllegalArgumentException("\"" + name + "\" wants a value behind it");
        }
        String value = next;
        advance();
        return value;
    }

    private LinkProfile readOne(LinkProfile profile) {
        String name = next;
        advance();
        return switch (name) {
            case "delay" -> profile.withLatencyNs(time(value(name))).withJitterNs(jitter());
            case "loss" -> profile.withLoss(share(value(name)));
            case "duplicate" -> profile.withDuplication(share(value(name)));
            case "reorder" -> profile.withReordering(share(value(name)), profile.reorderNs());
            case "corrupt" -> profile.withCorruption(share(value(name)));
            case "rate" -> profile.withBandwidth(rate(value(name)), profile.queuePackets());
            case "limit" -> profile.withBandwidth(profile.bitsPerSecond(), count(name, value(name), 1));
            case "mtu" -> profile.withMtuBytes(count(name, value(name), 68));
            default ->
                throw new IllegalArgumentException(
                        "\"" + name + "\" is none of mtu, delay, loss, duplicate, reorder, corrupt, rate, limit");
        };
    }

    private long jitter() {
        return !next.isEmpty() && Character.isDigit(next.charAt(0)) ? time(value("delay")) : 0;
    }

    private static int count(String name, String text, int least) {
        try {
            int value = Integer.parseInt(text);
            if (value >= least && value <= 65_535) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + " \"" + text + "\" is no number", e);
        }
        throw new IllegalArgumentException(name + " " + text + " is not in " + least + "..65535");
    }

    private static long time(String text) {
        return quantity(text, NANOSECONDS, "time");
    }

    private static long rate(String text) {
        return quantity(text, BITS_PER_SECOND, "rate");
    }

    /** A percentage, with or without percent sign, as {@code tc} reads it. */
    private static double share(String text) {
        double percent = number(text.endsWith("%") ? text.substring(0, text.length() - 1) : text, text);
        if (!(percent >= 0 && percent <= 100)) {
            throw new IllegalArgumentException("\"" + text + "\" is no percentage from 0% to 100%");
        }
        return percent / 100;
    }

    private static long quantity(String text, Map<String, Double> units, String what) {
        int digits = 0;
        while (digits < text.length() && (Character.isDigit(text.charAt(digits)) || text.charAt(digits) == '.')) {
            digits++;
        }
        Double unit = units.get(text.substring(digits).toLowerCase(Locale.ROOT));
        if (unit == null) {
            throw new IllegalArgumentException("\"" + text + "\" is no " + what + ": a number and one of "
                    + String.join(", ", units.keySet().stream().sorted().toList()));
        }
        return Math.round(number(text.substring(0, digits), text) * unit);
    }

    private static double number(String digits, String text) {
        try {
            return Double.parseDouble(digits);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("\"" + text + "\" begins with no number", e);
        }
    }
}

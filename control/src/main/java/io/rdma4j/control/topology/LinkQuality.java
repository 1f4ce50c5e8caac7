package io.rdma4j.control.topology;

import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What one direction of a link does to packets; probabilities are per packet, 0 to 1, and independent of one another.
 *
 * @param delayNs how long a packet is under way
 * @param jitterNs by how much that varies in either direction
 * @param loss it vanishes
 * @param duplicate it arrives twice
 * @param reorder it overtakes those before it
 * @param corrupt some of its bits change
 * @param bitsPerSecond how fast bits leave; 0: all at once
 */
public record LinkQuality(
        long delayNs,
        long jitterNs,
        double loss,
        double duplicate,
        double reorder,
        double corrupt,
        long bitsPerSecond) {
    /** Delivers everything at once, in order, whole. */
    public static final LinkQuality PERFECT = new LinkQuality(0, 0, 0, 0, 0, 0, 0);

    private static final Map<String, Double> NANOSECONDS = Map.of("ns", 1.0, "us", 1e3, "ms", 1e6, "s", 1e9);
    private static final Map<String, Double> BITS_PER_SECOND = Map.of(
            "bit", 1.0, "kbit", 1e3, "mbit", 1e6, "gbit", 1e9, "bps", 8.0, "kbps", 8e3, "mbps", 8e6, "gbps", 8e9);

    /**
     * Reads the words of {@code tc qdisc … netem}: {@code delay TIME [JITTER]}, {@code loss}, {@code duplicate}, {@code reorder} and
     * {@code corrupt PERCENT}, {@code rate RATE}, in any order.
     *
     * @throws IllegalArgumentException for anything else
     */
    public static LinkQuality parse(List<String> words) {
        LinkQuality quality = PERFECT;
        Iterator<String> rest = words.iterator();
        String next = rest.hasNext() ? rest.next() : "";
        while (!next.isEmpty()) {
            String name = next;
            if (!rest.hasNext()) {
                throw new IllegalArgumentException("\"" + name + "\" wants a value behind it");
            }
            String value = rest.next();
            next = rest.hasNext() ? rest.next() : "";
            if (name.equals("delay") && startsWithDigit(next)) {
                quality = quality.withDelay(time(value), time(next));
                next = rest.hasNext() ? rest.next() : "";
            } else {
                quality = quality.with(name, value);
            }
        }
        return quality;
    }

    private static boolean startsWithDigit(String word) {
        return !word.isEmpty() && Character.isDigit(word.charAt(0));
    }

    private LinkQuality withDelay(long delay, long jitter) {
        return new LinkQuality(delay, jitter, loss, duplicate, reorder, corrupt, bitsPerSecond);
    }

    private LinkQuality with(String name, String value) {
        return switch (name) {
            case "delay" -> withDelay(time(value), 0);
            case "loss" -> new LinkQuality(delayNs, jitterNs, share(value), duplicate, reorder, corrupt, bitsPerSecond);
            case "duplicate" -> new LinkQuality(delayNs, jitterNs, loss, share(value), reorder, corrupt, bitsPerSecond);
            case "reorder" -> new LinkQuality(delayNs, jitterNs, loss, duplicate, share(value), corrupt, bitsPerSecond);
            case "corrupt" -> new LinkQuality(delayNs, jitterNs, loss, duplicate, reorder, share(value), bitsPerSecond);
            case "rate" ->
                new LinkQuality(
                        delayNs, jitterNs, loss, duplicate, reorder, corrupt, quantity(value, BITS_PER_SECOND, "rate"));
            default ->
                throw new IllegalArgumentException(
                        "\"" + name + "\" is none of mtu, delay, loss, duplicate, reorder, corrupt, rate");
        };
    }

    private static long time(String text) {
        return quantity(text, NANOSECONDS, "time");
    }

    /** A percentage, with or without its sign, as {@code tc} reads it. */
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

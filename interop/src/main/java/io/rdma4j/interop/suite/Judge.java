package io.rdma4j.interop.suite;

import io.rdma4j.interop.lab.Output;
import io.rdma4j.interop.suite.Scenario.Mismatch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the packets of a capture, as Wireshark reads them and as we do: nothing malformed, no complaint, every ICRC right, and both find the
 * same values in every header.
 */
final class Judge {
    /** In Wireshark's language. An ICMP message holds the packet that it is about. */
    static final String ROCE = "udp.dstport == 4791 && !icmp && !icmpv6";

    private static final int WARNING = 0x60_0000;

    /** Wireshark 4.0 takes SEND with invalidate for malformed, whoever sent it: its table lacks the header. */
    private static final List<Integer> MISREAD = List.of(0x16, 0x17);

    /** Newer than Wireshark 4.0: FLUSH and ATOMIC WRITE, whose headers it leaves unread. */
    private static final List<Integer> UNREAD = List.of(0x1C, 0x1D);

    /** RoCE packets over IPv6 have no UDP checksum, those of Linux neither. */
    private static final String NO_CHECKSUM = "Illegal checksum value";

    /** As Wireshark prints the opcode of a FLUSH, whose ICRC Linux computes in a way of its own. */
    private static final String FLUSH = "28";

    /** What {@link #taken} has to know of each packet; together they are those of no other, unless it is repeated. */
    static final List<String> TAKEN =
            List.of("infiniband.bth.opcode", "infiniband.bth.destqp", "infiniband.bth.psn", "infiniband.reth.va");

    /** Packets that may come for queue pairs that the guest has already destroyed: those for a killed process above all. */
    private static final int AFTER_THE_END = 50;

    /** What stands behind this in Wireshark's list, is what it believes to find in the payload. */
    private static final String OURS = ":infiniband";

    private static final Pattern TALLY =
            Pattern.compile("(\\d+) RoCE, (\\d+) ICRC ok, (\\d+) ICRC bad, (\\d+) malformed");

    /** Wireshark's name of a field, and ours. */
    private static final List<Map.Entry<String, String>> FIELDS = List.of(
            Map.entry("infiniband.bth.destqp", "qpn"),
            Map.entry("infiniband.bth.psn", "psn"),
            Map.entry("infiniband.bth.p_key", "pkey"),
            Map.entry("infiniband.reth.va", "va"),
            Map.entry("infiniband.reth.r_key", "rkey"),
            Map.entry("infiniband.reth.dmalen", "dmaLength"),
            Map.entry("infiniband.aeth.msn", "msn"));

    private static final List<String> OTHERS = List.of(
            "frame.number", "infiniband.bth.opcode", "_ws.expert.severity", "_ws.expert.message", "frame.protocols");

    private Judge() {}

    /** Whose values {@link #judge} compares. */
    static List<String> fields() {
        List<String> names = new ArrayList<>(OTHERS);
        FIELDS.forEach(field -> names.add(field.getKey()));
        return names;
    }

    /**
     * Compares two readings of a capture.
     *
     * @param frames what Wireshark reads: a line of {@link #fields} for each packet that is {@link #ROCE}
     * @param ours what our tool {@code decode} printed
     * @return what is worth telling
     * @throws Mismatch if there is anything to complain about
     */
    static String judge(List<String> frames, Output ours) {
        Matcher tally = TALLY.matcher(ours.text());
        if (!ours.ok() || !tally.find()) {
            throw new Mismatch("decode failed: " + ours.text());
        }
        if (!tally.group(3).equals("0") || !tally.group(4).equals("0")) {
            throw new Mismatch("our decoder says: " + tally.group());
        }
        Map<Integer, String> lines = new HashMap<>();
        ours.text().lines().filter(line -> line.contains(" qpn ")).forEach(line -> lines.put(number(line), line));
        for (String frame : frames) {
            compare(frame.split("\t", -1), lines);
        }
        if (frames.size() != lines.size()) {
            throw new Mismatch("Wireshark sees " + frames.size() + " packets, we " + lines.size());
        }
        return frames.size() + " packets, all ICRCs right, same headers in Wireshark's eyes";
    }

    /**
     * Linux counts what it takes behind its check of the ICRC. What it does not take, must be for a queue pair that is gone: a few packets, and those
     * that are repeated, because its last acknowledgement was lost with it.
     *
     * @param packets that were sent to the guest: {@link #TAKEN} of each
     * @param taken by the guest meanwhile
     */
    static String taken(List<String> packets, long taken) {
        long flushes = packets.stream()
                .filter(packet -> packet.startsWith(FLUSH + '\t'))
                .count();
        long repeated = packets.size() - packets.stream().distinct().count();
        long lost = packets.size() - flushes - taken;
        String text = taken + " of " + packets.size() + " packets"
                + (flushes == 0 ? "" : ", and none of " + flushes + " FLUSH")
                + (repeated == 0 ? "" : ", " + repeated + " of them repetitions");
        if (lost < 0 || lost > AFTER_THE_END + repeated) {
            throw new Mismatch(text);
        }
        return text;
    }

    private static int number(String line) {
        return Integer.parseInt(line.substring(0, line.indexOf(' ')));
    }

    private static void compare(String[] frame, Map<Integer, String> lines) {
        String line = lines.get(Integer.parseInt(frame[0]));
        if (line == null) {
            throw new Mismatch("frame " + frame[0] + " is no RoCE packet in our eyes");
        }
        int opcode = frame[1].isEmpty() ? -1 : Integer.decode(frame[1]);
        int severity = frame[2].isEmpty() ? 0 : Integer.decode(frame[2]);
        boolean guess = !frame[4].endsWith(OURS);
        if (severity >= WARNING && !guess && !MISREAD.contains(opcode) && !frame[3].startsWith(NO_CHECKSUM)) {
            throw new Mismatch("Wireshark: frame " + frame[0] + ": " + frame[3] + ", we: " + line);
        }
        List<String> words = Arrays.asList(line.split(" ", -1));
        for (int i = 0; i < FIELDS.size(); i++) {
            String theirs = frame[OTHERS.size() + i];
            String mine = after(words, FIELDS.get(i).getValue());
            boolean unread = theirs.isEmpty()
                    && (UNREAD.contains(opcode) || MISREAD.contains(opcode) || mine == null || isAtomic(line));
            if (!unread && (mine == null || value(theirs) != value(mine))) {
                throw new Mismatch("frame " + frame[0] + ": Wireshark reads "
                        + FIELDS.get(i).getKey() + " " + theirs + ", we: " + line);
            }
        }
    }

    /** The same fields have other names in the header of atomics. */
    private static boolean isAtomic(String line) {
        return line.contains(" RC CmpSwap ") || line.contains(" RC FetchAdd ");
    }

    private static @Nullable String after(List<String> words, String name) {
        int index = words.indexOf(name);
        return index < 0 ? null : words.get(index + 1);
    }

    private static long value(String text) {
        return text.startsWith("0x") ? Long.parseUnsignedLong(text.substring(2), 16) : Long.parseLong(text);
    }
}

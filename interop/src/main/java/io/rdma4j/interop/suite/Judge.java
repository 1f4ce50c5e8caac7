// SPDX-License-Identifier: Apache-2.0
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
 * Compares the packets of a capture as Wireshark and as rdma4j decode them. No packet may be malformed or have a
 * warning, every ICRC must be correct, and all header fields must be equal.
 */
final class Judge {
    /** Display filter of Wireshark for RoCE. An ICMP message contains the packet that it reports. */
    static final String ROCE = "udp.dstport == 4791 && !icmp && !icmpv6";

    private static final int WARNING = 0x60_0000;

    /** Wireshark 4.0 treats SEND with invalidate as malformed for any sender, because its table lacks the header. */
    private static final List<Integer> MISREAD = List.of(0x16, 0x17);

    /** FLUSH and ATOMIC WRITE, whose headers Wireshark 4.0 does not decode. */
    private static final List<Integer> UNREAD = List.of(0x1C, 0x1D);

    /** RoCE packets over IPv6 have no UDP checksum, in Linux too. */
    private static final String NO_CHECKSUM = "Illegal checksum value";

    /** Wireshark's opcode of FLUSH, whose ICRC Linux computes in a non-standard way. */
    private static final String FLUSH = "28";

    /** Fields that {@link #taken} needs of each packet; together they identify a packet except for retransmissions. */
    static final List<String> TAKEN =
            List.of("infiniband.bth.opcode", "infiniband.bth.destqp", "infiniband.bth.psn", "infiniband.reth.va");

    /**
     * Maximum number of packets for queue pairs that the guest has already destroyed, mostly those of a killed process.
     */
    private static final int AFTER_THE_END = 50;

    /** Fields behind this word in Wireshark's list come from the payload. */
    private static final String OURS = ":infiniband";

    private static final Pattern TALLY =
            Pattern.compile("(\\d+) RoCE, (\\d+) ICRC ok, (\\d+) ICRC bad, (\\d+) malformed");

    /** Wireshark's and rdma4j's name of a field. */
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

    /** Fields whose values {@link #judge} compares. */
    static List<String> fields() {
        List<String> names = new ArrayList<>(OTHERS);
        FIELDS.forEach(field -> names.add(field.getKey()));
        return names;
    }

    /**
     * Compares two decodings of a capture.
     *
     * @param frames a line of {@link #fields} by Wireshark for each packet that matches {@link #ROCE}
     * @param ours output of the tool {@code decode}
     * @return summary for the table
     * @throws Mismatch if there is a malformed packet or a difference
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
     * Compares packets sent with packets that Linux counted, which it does after its ICRC check. Uncounted packets must
     * be for destroyed queue pairs: a few packets, and retransmissions after the loss of the last acknowledgement.
     *
     * @param packets {@link #TAKEN} of each packet that was sent to the guest
     * @param taken number counted by the guest in this time
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

    /** True for atomics, in whose header the same fields have other names. */
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

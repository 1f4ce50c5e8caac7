// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib.topology;

import io.rdma4j.base.RdmaException;
import io.rdma4j.fabric.LinkModes;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The words for widths and speeds of ports in a topology file. */
final class ModeWords {
    private static final Pattern OPTION = Pattern.compile("(?:^|\\s)([wse])=(\\d+)(?=\\s|$)");
    private static final Pattern RATE = Pattern.compile("\\s(\\d+)x(SDR|DDR|QDR|FDR|EDR|HDR)\\s*$");
    private static final List<String> SPEEDS = List.of("SDR", "DDR", "QDR");
    private static final List<String> EXTENDED_SPEEDS = List.of("FDR", "EDR", "HDR");
    private static final List<Integer> WIDTHS = List.of(1, 4, 8, 12, 2);
    private static final int ALL_SPEEDS = 7;
    private static final int QDR = 4;

    private int widths = LinkModes.X4_SDR.widths();
    private int speeds = LinkModes.X4_SDR.speeds();
    private int extendedSpeeds = LinkModes.X4_SDR.extendedSpeeds();

    /** Sets what ports have whose line does not say it. */
    void setDefault(String name, int bits) {
        switch (name) {
            case "width" -> widths = bits;
            case "speed" -> speeds = speeds(bits);
            default -> extendedSpeeds = bits;
        }
    }

    /** ibsim means QDR by 0. */
    private static int speeds(int bits) {
        return bits == 0 ? QDR : bits;
    }

    /**
     * Returns the widths and speeds of a port.
     *
     * @param words behind the remote port
     * @throws RdmaException EINVAL for bits that no port has
     */
    LinkModes modes(String words) {
        int comment = words.indexOf('#');
        Matcher options = OPTION.matcher(comment < 0 ? words : words.substring(0, comment));
        Matcher rate = RATE.matcher(words);
        LinkModes found = rate.find() ? upTo(Integer.parseInt(rate.group(1)), rate.group(2)) : null;
        int width = found == null ? widths : found.widths();
        int speed = found == null ? speeds : found.speeds();
        int extended = found == null ? extendedSpeeds : found.extendedSpeeds();
        while (options.find()) {
            int bits = Integer.parseInt(options.group(2));
            switch (options.group(1)) {
                case "w" -> width = bits;
                case "s" -> speed = speeds(bits);
                default -> extended = bits;
            }
        }
        return new LinkModes(width, speed, extended);
    }

    /** The width that a link has, and its speed with all lower ones. */
    private static LinkModes upTo(int lanes, String speed) {
        int width = WIDTHS.contains(lanes) ? 1 << WIDTHS.indexOf(lanes) : 0;
        return SPEEDS.contains(speed)
                ? new LinkModes(width, lowest(1 + SPEEDS.indexOf(speed)), 0)
                : new LinkModes(width, ALL_SPEEDS, lowest(1 + EXTENDED_SPEEDS.indexOf(speed)));
    }

    private static int lowest(int bits) {
        return (1 << bits) - 1;
    }
}

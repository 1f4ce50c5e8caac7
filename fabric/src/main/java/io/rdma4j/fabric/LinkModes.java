// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * Widths and speeds of a port, as sets of bits of PortInfo (IBA 14.2.5.6). Those of a link that is up are one width and
 * one speed.
 *
 * @param widths {@code LinkWidthSupported}: 1 for 1X, 2 for 4X, 4 for 8X, 8 for 12X, 16 for 2X
 * @param speeds {@code LinkSpeedSupported}: 1 for SDR, 2 for DDR, 4 for QDR
 * @param extendedSpeeds {@code LinkSpeedExtSupported}: 1 for FDR, 2 for EDR, 4 for HDR; 0 for none
 */
public record LinkModes(int widths, int speeds, int extendedSpeeds) {
    /** Four lanes of 2.5 Gb/s. */
    public static final LinkModes X4_SDR = new LinkModes(2, 1, 0);

    private static final int ALL_WIDTHS = 0x1F;
    private static final int ALL_SPEEDS = 7;
    /** Bits in the order of the number of lanes. */
    private static final int[] WIDTHS = {1, 16, 2, 4, 8};

    private static final int[] LANES = {1, 2, 4, 8, 12};

    /** Picoseconds of a byte of data on one lane: 8 bits in 10 up to QDR, then 64 in 66. */
    private static final long[] PICOS = {4_000, 2_000, 1_000};

    private static final long[] EXTENDED_PICOS = {586, 320, 155};

    /**
     * Checks the bits.
     *
     * @throws RdmaException EINVAL if there is no width, no speed up to QDR, or an unknown bit
     */
    public LinkModes {
        if (widths < 1
                || widths > ALL_WIDTHS
                || speeds < 1
                || speeds > ALL_SPEEDS
                || extendedSpeeds < 0
                || extendedSpeeds > ALL_SPEEDS) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "a port has widths 1..31, speeds 1..7 and extended speeds 0..7, not widths " + widths + ", speeds "
                            + speeds + ", extended speeds " + extendedSpeeds);
        }
    }

    /** Returns the highest width and speed that both ends have; null if they have none in common. */
    @Nullable
    LinkModes common(LinkModes other) {
        int bothWidths = widths & other.widths;
        int bothSpeeds = speeds & other.speeds;
        int bothExtended = extendedSpeeds & other.extendedSpeeds;
        if (bothWidths == 0 || bothSpeeds == 0) {
            return null;
        }
        int width = 0;
        for (int bit : WIDTHS) {
            width = (bothWidths & bit) != 0 ? bit : width;
        }
        return new LinkModes(width, Integer.highestOneBit(bothSpeeds), Integer.highestOneBit(bothExtended));
    }

    /** Returns the time of a byte of data on a link that is up with these modes, in picoseconds. */
    long picosPerByte() {
        int width = 0;
        while (WIDTHS[width] != widths) {
            width++;
        }
        long ofLane = extendedSpeeds == 0
                ? PICOS[Integer.numberOfTrailingZeros(speeds)]
                : EXTENDED_PICOS[Integer.numberOfTrailingZeros(extendedSpeeds)];
        return Math.max(1, ofLane / LANES[width]);
    }
}

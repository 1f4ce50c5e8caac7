// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire;

import org.jspecify.annotations.Nullable;

/**
 * The eight bits of an {@link Aeth} with the result of a request (IBA 9.7.5): three bits of kind, five bits of value.
 *
 * <pre>
 *    000ccccc  ACK, c = credit code         {@link CreditCode}
 *    001ttttt  RNR NAK, t = timer code      {@link RnrTimer}
 *    011nnnnn  NAK, n = reason              {@link NakCode}
 *    others    reserved
 * </pre>
 */
public final class Syndrome {
    /** The kind of a response, {@code AETH_TYPE_MASK}. */
    public enum Kind {
        /** All packets up to the PSN have arrived. */
        ACK,
        /** No receive work request was posted: send again after the timer. */
        RNR_NAK,
        /** The request was rejected, or packets are missing. */
        NAK,
        /** A reserved value: the packet is to be dropped. */
        RESERVED
    }

    private static final int KIND_SHIFT = 5;
    private static final int VALUE_MASK = 0x1F;
    private static final int RNR_NAK_BITS = 1 << KIND_SHIFT;
    private static final int NAK_BITS = 3 << KIND_SHIFT;

    private Syndrome() {}

    /**
     * {@return an ACK with a {@link CreditCode}, 5 bits}
     *
     * @param creditCode 5 bits
     */
    public static int ack(int creditCode) {
        return creditCode & VALUE_MASK;
    }

    /**
     * {@return an RNR NAK with an {@link RnrTimer} code, 5 bits}
     *
     * @param timerCode 5 bits
     */
    public static int rnrNak(int timerCode) {
        return RNR_NAK_BITS | (timerCode & VALUE_MASK);
    }

    /**
     * {@return a NAK: 0x60..0x64}
     *
     * @param code 5 bits are written
     */
    public static int nak(NakCode code) {
        return NAK_BITS | code.code();
    }

    /**
     * {@return the kind of a response}
     *
     * @param syndrome 8 bits
     */
    public static Kind kind(int syndrome) {
        return switch (syndrome >>> KIND_SHIFT) {
            case 0 -> Kind.ACK;
            case 1 -> Kind.RNR_NAK;
            case 3 -> Kind.NAK;
            default -> Kind.RESERVED;
        };
    }

    /**
     * {@return the lower five bits: credit code, timer code or NAK code, by kind}
     *
     * @param syndrome 8 bits
     */
    public static int value(int syndrome) {
        return syndrome & VALUE_MASK;
    }

    /**
     * {@return the reason of a NAK; null if it is not a NAK or the reason is reserved}
     *
     * @param syndrome 8 bits
     */
    public static @Nullable NakCode nakCode(int syndrome) {
        return kind(syndrome) == Kind.NAK ? NakCode.of(value(syndrome)) : null;
    }

    /**
     * {@return the syndrome as text: {@code ACK}, {@code ACK credits 4}, {@code RNR NAK 0.12 ms},
     * {@code NAK PSN sequence error}} Allocates.
     *
     * @param syndrome 8 bits
     */
    public static String toString(int syndrome) {
        int value = value(syndrome);
        return switch (kind(syndrome)) {
            case ACK -> value == CreditCode.UNLIMITED ? "ACK" : "ACK credits " + CreditCode.credits(value);
            case RNR_NAK -> "RNR NAK " + RnrTimer.toString(value);
            case NAK -> {
                NakCode code = NakCode.of(value);
                yield "NAK " + (code == null ? "reserved code " + value : code.text());
            }
            case RESERVED -> "reserved syndrome " + syndrome;
        };
    }
}

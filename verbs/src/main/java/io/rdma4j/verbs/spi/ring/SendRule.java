// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import static io.rdma4j.verbs.values.QpType.DRIVER;
import static io.rdma4j.verbs.values.QpType.GSI;
import static io.rdma4j.verbs.values.QpType.RAW_PACKET;
import static io.rdma4j.verbs.values.QpType.RC;
import static io.rdma4j.verbs.values.QpType.UC;
import static io.rdma4j.verbs.values.QpType.UD;
import static io.rdma4j.verbs.values.QpType.XRC_INI;
import static io.rdma4j.verbs.values.QpType.XRC_TGT;

import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.verbs.wr.WrOpcode;
import java.util.EnumSet;
import java.util.Set;

/**
 * Table of the transports, flags and data of each operation (IBA 10.2.2, 11.4.1.1). Other combinations have no packet
 * format. Corresponds to {@code rxe_wr_opcode_info} and to the table in the manual page of {@code ibv_post_send}.
 */
enum SendRule {
    SEND(WrOpcode.SEND, EnumSet.complementOf(EnumSet.of(XRC_TGT, DRIVER)), Kind.MESSAGE, Data.ANY),
    SEND_WITH_IMM(WrOpcode.SEND_WITH_IMM, EnumSet.of(RC, UC, UD, GSI, XRC_INI), Kind.MESSAGE, Data.ANY),
    SEND_WITH_INV(WrOpcode.SEND_WITH_INV, EnumSet.of(RC, XRC_INI), Kind.MESSAGE, Data.ANY),
    RDMA_WRITE(WrOpcode.RDMA_WRITE, EnumSet.of(RC, UC, XRC_INI), Kind.SILENT, Data.ANY),
    RDMA_WRITE_WITH_IMM(WrOpcode.RDMA_WRITE_WITH_IMM, EnumSet.of(RC, UC, XRC_INI), Kind.MESSAGE, Data.ANY),
    RDMA_READ(WrOpcode.RDMA_READ, EnumSet.of(RC, XRC_INI), Kind.SILENT, Data.REGISTERED),
    RDMA_READ_WITH_INV(WrOpcode.RDMA_READ_WITH_INV, EnumSet.of(RC, XRC_INI), Kind.SILENT, Data.REGISTERED),
    COMPARE_SWAP(WrOpcode.ATOMIC_CMP_AND_SWP, EnumSet.of(RC, XRC_INI), Kind.SILENT, Data.EIGHT_BYTES),
    FETCH_ADD(WrOpcode.ATOMIC_FETCH_AND_ADD, EnumSet.of(RC, XRC_INI), Kind.SILENT, Data.EIGHT_BYTES),
    MASKED_COMPARE_SWAP(WrOpcode.MASKED_ATOMIC_CMP_AND_SWP, EnumSet.of(RC, XRC_INI), Kind.SILENT, Data.EIGHT_BYTES),
    MASKED_FETCH_ADD(WrOpcode.MASKED_ATOMIC_FETCH_AND_ADD, EnumSet.of(RC, XRC_INI), Kind.SILENT, Data.EIGHT_BYTES),
    FLUSH(WrOpcode.FLUSH, EnumSet.of(RC), Kind.SILENT, Data.NONE),
    ATOMIC_WRITE(WrOpcode.ATOMIC_WRITE, EnumSet.of(RC), Kind.SILENT, Data.NONE),
    LOCAL_INV(WrOpcode.LOCAL_INV, EnumSet.of(RC, UC, XRC_INI), Kind.LOCAL, Data.NONE),
    BIND_MW(WrOpcode.BIND_MW, EnumSet.of(RC, UC), Kind.LOCAL, Data.NONE),
    REG_MR(WrOpcode.REG_MR, EnumSet.of(RC, UC, XRC_INI), Kind.LOCAL, Data.NONE),
    TSO(WrOpcode.TSO, EnumSet.of(UD, RAW_PACKET), Kind.MESSAGE, Data.REGISTERED);

    private static final SendRule[] BY_ORDINAL = new SendRule[WrOpcode.values().length];

    static {
        for (SendRule rule : values()) {
            BY_ORDINAL[rule.opcode.ordinal()] = rule;
        }
    }

    /** Effect of the operation at the peer. */
    enum Kind {
        /** Consumes a receive of the peer and may raise a completion event there. */
        MESSAGE(SendFlag.FENCE.bit() | SendFlag.SIGNALED.bit() | SendFlag.SOLICITED.bit()),
        /** Generates no completion at the peer, so SOLICITED is not allowed. */
        SILENT(SendFlag.FENCE.bit() | SendFlag.SIGNALED.bit()),
        /** Sends nothing to the peer. */
        LOCAL(SendFlag.FENCE.bit() | SendFlag.SIGNALED.bit());

        private final int flags;

        Kind(int flags) {
            this.flags = flags;
        }
    }

    /** Data that the operation may have. */
    enum Data {
        /** Scatter/gather elements or inline data. */
        ANY,
        /** Scatter/gather elements. */
        REGISTERED,
        /** Scatter/gather elements of 8 bytes in total, for the previous value. */
        EIGHT_BYTES,
        /** No data. */
        NONE
    }

    private final WrOpcode opcode;

    @SuppressWarnings("ImmutableEnumChecker") // never modified
    private final Set<QpType> types;

    private final Kind kind;
    private final Data data;
    private final int code;
    private final int bit;

    SendRule(WrOpcode opcode, Set<QpType> types, Kind kind, Data data) {
        this.opcode = opcode;
        this.types = types;
        this.kind = kind;
        this.data = data;
        this.code = opcode.code();
        this.bit = 1 << opcode.ordinal();
    }

    static SendRule of(WrOpcode opcode) {
        return BY_ORDINAL[opcode.ordinal()];
    }

    WrOpcode opcode() {
        return opcode;
    }

    /** The opcode in elements of send queues. */
    int code() {
        return code;
    }

    /** The bit of the operation in sets of operations. */
    int bit() {
        return bit;
    }

    /** A set of operations as {@link #bit}s. */
    static int bits(Set<WrOpcode> operations) {
        int bits = 0;
        for (WrOpcode opcode : operations) {
            bits |= of(opcode).bit;
        }
        return bits;
    }

    /** The transports that support the operation. */
    Set<QpType> types() {
        return types;
    }

    /** Allowed bits of {@link SendFlag}. {@link #data} decides about INLINE, the device about IP_CSUM. */
    int flags() {
        return kind.flags;
    }

    /** True if the device may insert IP checksums into it; a large send repeats its header unchanged. */
    boolean takesChecksums() {
        return this == SEND || this == SEND_WITH_IMM;
    }

    Kind kind() {
        return kind;
    }

    Data data() {
        return data;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.wr;

import io.rdma4j.verbs.values.Flags;
import java.util.Set;

/**
 * The result of a work request; immutable. Corresponds to {@code struct ibv_wc}. Unless {@code status} is SUCCESS, only
 * {@code wrId}, {@code status}, {@code vendorError} and {@code qpNumber} are valid.
 *
 * @param wrId {@code wr_id}: the number of the request
 * @param status {@code status}
 * @param opcode {@code opcode}
 * @param vendorError {@code vendor_err}: the provider's own detail of an error
 * @param byteLength {@code byte_len}: bytes received, unsigned
 * @param qpNumber {@code qp_num}: the local queue pair, 24 bits
 * @param immediate {@code imm_data} with {@link WcFlag#WITH_IMM}, the invalidated key with {@link WcFlag#WITH_INV}
 * @param sourceQp {@code src_qp}: the sender's queue pair (datagrams only), 24 bits
 * @param flags {@code wc_flags}
 * @param pkeyIndex {@code pkey_index}: index of the message's P_Key (GSI only)
 * @param sourceLid {@code slid}: 16 bits (datagrams over InfiniBand only)
 * @param serviceLevel {@code sl}: 4 bits (datagrams only)
 * @param destinationPathBits {@code dlid_path_bits}: 7 bits (datagrams over InfiniBand only)
 * @param port {@code port_num}: the port at which the message arrived (general services only)
 */
public record WorkCompletion(
        long wrId,
        WcStatus status,
        WcOpcode opcode,
        int vendorError,
        int byteLength,
        int qpNumber,
        int immediate,
        int sourceQp,
        Set<WcFlag> flags,
        int pkeyIndex,
        int sourceLid,
        int serviceLevel,
        int destinationPathBits,
        int port) {

    private static final int RNR_NAK = 0x20;
    private static final int RNR_TIMER_MASK = 0x1F;

    /** Copies the set. */
    public WorkCompletion {
        flags = Set.copyOf(flags);
    }

    /**
     * {@return the completion at the cursor}
     *
     * @param cursor after a {@link CompletionCursor#next} that returned true
     */
    public static WorkCompletion of(CompletionCursor cursor) {
        return new WorkCompletion(
                cursor.wrId(),
                cursor.status(),
                cursor.opcode(),
                cursor.vendorError(),
                cursor.byteLength(),
                cursor.qpNumber(),
                cursor.immediate(),
                cursor.sourceQp(),
                Flags.of(WcFlag.class, cursor.flags(), WcFlag::bit),
                cursor.pkeyIndex(),
                cursor.sourceLid(),
                cursor.serviceLevel(),
                cursor.destinationPathBits(),
                cursor.port());
    }

    /** {@return readable text of the valid fields, with byte_len unsigned and the meaning of {@code vendorError}} */
    @Override
    public String toString() {
        String start = "WorkCompletion[wrId=" + wrId + ", status=" + status + ", qpNumber=" + qpNumber;
        if (status != WcStatus.SUCCESS) {
            return start + ", vendorError=" + vendorError + " (" + errorDetail() + ")]";
        }
        StringBuilder text = new StringBuilder(start)
                .append(", opcode=")
                .append(opcode)
                .append(", byteLength=")
                .append(Integer.toUnsignedLong(byteLength));
        if (flags.contains(WcFlag.WITH_IMM)) {
            text.append(", immediate=").append(Integer.toUnsignedLong(immediate));
        } else if (flags.contains(WcFlag.WITH_INV)) {
            text.append(", invalidated=0x").append(Integer.toHexString(immediate));
        }
        if (flags.contains(WcFlag.GRH)) {
            text.append(", sourceQp=").append(sourceQp);
        }
        return text.append(", flags=").append(flags).append(']').toString();
    }

    /** Devices of this library report the syndrome that they received from the peer or sent to it (IBA 9.7.5.2). */
    private String errorDetail() {
        return switch (vendorError) {
            case 0 -> "no answer";
            case 0x60 -> "NAK PSN sequence error";
            case 0x61 -> "NAK invalid request";
            case 0x62 -> "NAK remote access error";
            case 0x63 -> "NAK remote operational error";
            case 0x64 -> "NAK invalid RD request";
            default -> (vendorError & ~RNR_TIMER_MASK) == RNR_NAK ? "RNR NAK" : "of the device";
        };
    }
}

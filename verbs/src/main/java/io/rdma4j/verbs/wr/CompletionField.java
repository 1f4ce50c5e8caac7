// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.wr;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * Optional fields of completions. {@link #bit} is the bit of {@code enum ibv_create_cq_wc_flags}.
 *
 * <p>{@code wr_id}, status, opcode, vendor error and flags are always present.
 */
public enum CompletionField {
    /** {@link CompletionCursor#byteLength}. */
    BYTE_LEN,
    /** {@link CompletionCursor#immediate}. */
    IMM,
    /** {@link CompletionCursor#qpNumber}. */
    QP_NUM,
    /** {@link CompletionCursor#sourceQp}. */
    SRC_QP,
    /** {@link CompletionCursor#sourceLid}. */
    SLID,
    /** {@link CompletionCursor#serviceLevel}. */
    SL,
    /** {@link CompletionCursor#destinationPathBits}. */
    DLID_PATH_BITS,
    /** {@link CompletionCursor#timestampNs}. */
    COMPLETION_TIMESTAMP,
    /** The VLAN tag of the packet (raw packets). */
    CVLAN,
    /** The tag of the flow rule that steered the packet to the queue pair. */
    FLOW_TAG,
    /** The result of tag matching. */
    TM_INFO,
    /** The completion's time as wall-clock time. */
    COMPLETION_TIMESTAMP_WALLCLOCK;

    /** The fields that every device supports ({@code IBV_WC_STANDARD_FLAGS}). */
    public static final Set<CompletionField> STANDARD =
            Collections.unmodifiableSet(EnumSet.range(BYTE_LEN, DLID_PATH_BITS));

    /** {@return the bit in {@code wc_flags}} */
    public int bit() {
        return 1 << ordinal();
    }
}

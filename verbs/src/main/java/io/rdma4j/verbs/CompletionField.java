package io.rdma4j.verbs;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * What completions are to carry; {@link #bit} is the bit of {@code enum ibv_create_cq_wc_flags}.
 *
 * <p>Request number, status, opcode, detail of an error and flags are always there.
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
    /** The VLAN that the packet came with (raw packets). */
    CVLAN,
    /** The tag of the flow rule that steered the packet here. */
    FLOW_TAG,
    /** What tag matching found. */
    TM_INFO,
    /** The time of day of the completion. */
    COMPLETION_TIMESTAMP_WALLCLOCK;

    /** What the completions of every device carry ({@code IBV_WC_STANDARD_FLAGS}). */
    public static final Set<CompletionField> STANDARD =
            Collections.unmodifiableSet(EnumSet.range(BYTE_LEN, DLID_PATH_BITS));

    /** {@return the bit in {@code wc_flags}} */
    public int bit() {
        return 1 << ordinal();
    }
}

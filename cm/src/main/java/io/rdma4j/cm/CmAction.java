// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

/** What a {@link CmId} does at a transition, besides the change of its state. */
public enum CmAction {
    /** What the trigger says: sends the message of a call, passes an event to the program. */
    PROCEED,
    /** Counts a duplicate and drops it. */
    COUNT_DUPLICATE,
    /** Counts a duplicate and sends the last answer again. */
    REPEAT_ANSWER,
    /** Sends a REJ with the reason "stale connection". */
    REJECT_STALE,
    /** Sends a REJ with the reason "timeout". */
    REJECT_TIMEOUT,
    /** Sends a REJ with the reason "consumer defined". */
    REJECT_CONSUMER,
    /** Sends one DREQ and does not wait for its answer. */
    DISCONNECT,
    /** Sends a DREP. */
    ANSWER_DREQ,
    /** Sends a SIDR_REP with the status "rejected". */
    REJECT_SIDR,
    /** Sends nothing. */
    NOTHING
}

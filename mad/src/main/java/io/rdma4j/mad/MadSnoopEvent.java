// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

/** What an observer sees. Corresponds to {@code IB_MAD_SNOOP_*}. */
public enum MadSnoopEvent {
    /** A datagram is posted, also a segment or an answer of the MAD layer itself. */
    SENT,
    /** A message of an agent has ended, with or without success. */
    COMPLETED,
    /** A datagram of base version 1 arrived, also one that is dropped later. */
    RECEIVED
}

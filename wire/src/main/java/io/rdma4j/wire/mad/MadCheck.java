// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

/** Result of {@link Mad#check}. */
public enum MadCheck {
    /** Well-formed. */
    OK,
    /** Fewer than 256 bytes. */
    TOO_SHORT,
    /** A base version other than 1. */
    BAD_VERSION
}

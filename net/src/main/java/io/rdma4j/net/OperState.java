// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

/**
 * The operational state of RFC 2863, {@code ifOperStatus} ({@code IF_OPER_*}). The ordinal is the Linux constant's
 * value.
 */
public enum OperState {
    /** The driver does not report the state of its link. */
    UNKNOWN,
    /** A part of the device is missing. */
    NOT_PRESENT,
    /** No link. */
    DOWN,
    /** The lower device has no link. */
    LOWER_LAYER_DOWN,
    /** Under test: the link carries no packets of users. */
    TESTING,
    /** There is a link, but the driver waits for an external event, such as an authentication. */
    DORMANT,
    /** The link carries packets. */
    UP
}

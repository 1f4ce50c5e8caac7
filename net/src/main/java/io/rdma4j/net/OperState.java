package io.rdma4j.net;

/** The operational state of RFC 2863, {@code ifOperStatus} ({@code IF_OPER_*}). The ordinal is Linux's number. */
public enum OperState {
    /** The driver says nothing of its link. */
    UNKNOWN,
    /** A part of the device is missing. */
    NOT_PRESENT,
    /** No link. */
    DOWN,
    /** The device that it stands on has no link. */
    LOWER_LAYER_DOWN,
    /** Under test: carries no packets of users. */
    TESTING,
    /** There is a link, and it waits for something outside, such as an authentication. */
    DORMANT,
    /** Carries packets. */
    UP
}

// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

/**
 * The status of a response (IBA 13.4.7): bits 0 and 1 are flags, bits 2 to 4 a code. The upper byte belongs to the
 * class; here are the codes of subnet administration (IBA 15.2.4).
 */
public final class MadStatus {
    /** Success. */
    public static final int SUCCESS = 0;
    /** The responder is busy; the requester may try again. */
    public static final int BUSY = 0x0001;
    /** ClassPortInfo names another place for the request. */
    public static final int REDIRECT = 0x0002;
    /** Base or class version is not supported. */
    public static final int BAD_VERSION = 0x0004;
    /** The method is not supported. */
    public static final int BAD_METHOD = 0x0008;
    /** The method is not supported for this attribute. */
    public static final int BAD_METHOD_ATTRIBUTE = 0x000C;
    /** An invalid attribute, modifier or field. */
    public static final int BAD_FIELD = 0x001C;

    /** Subnet administration: no resources. */
    public static final int SA_NO_RESOURCES = 0x0100;
    /** Subnet administration: the request is invalid. */
    public static final int SA_INVALID_REQUEST = 0x0200;
    /** Subnet administration: no records match. */
    public static final int SA_NO_RECORDS = 0x0300;
    /** Subnet administration: more than one record matches a Get. */
    public static final int SA_TOO_MANY_RECORDS = 0x0400;
    /** Subnet administration: a GID is invalid. */
    public static final int SA_INVALID_GID = 0x0500;
    /** Subnet administration: components are missing. */
    public static final int SA_INSUFFICIENT_COMPONENTS = 0x0600;
    /** Subnet administration: the request is denied. */
    public static final int SA_DENIED = 0x0700;

    /** Bit 15 of directed-route datagrams: the datagram returns to the requester. */
    public static final int DIRECTION = 0x8000;

    private MadStatus() {}
}

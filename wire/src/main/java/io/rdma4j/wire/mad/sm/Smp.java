// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sm;

import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadArray;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;

/**
 * The header of subnet management datagrams on queue pair 0 (IBA 14.2.1), after the common header.
 *
 * <p>The two paths, hop count and hop pointer exist in datagrams of the class {@link MadClass#SUBN_DIRECTED_ROUTE}
 * only. Such a datagram goes from port to port: {@code INITIAL_PATH[i]} is the port by which hop {@code i} leaves a
 * node, and {@code RETURN_PATH[i]} the port at which it arrives. Element 0 is not used.
 */
public final class Smp {
    /** Offset of the attribute in the datagram. */
    public static final int DATA = 64;
    /** Bytes of the longest attribute. */
    public static final int DATA_BYTES = 64;
    /** Largest number of hops of a directed route. */
    public static final int MAX_HOPS = 63;

    private static final MadLayout.Builder FIELDS = MadLayout.builder("SMP");
    /** Number of the present hop. */
    public static final MadField HOP_POINTER = FIELDS.decimal("hopPointer", 6, 8);
    /** Number of hops of the directed part, at most {@link #MAX_HOPS}. */
    public static final MadField HOP_COUNT = FIELDS.decimal("hopCount", 7, 8);
    /** Key of the subnet manager. */
    public static final MadField M_KEY = FIELDS.hex("mKey", 24, 64);
    /** LID-routed part before the directed one: LID of the requester; 0xFFFF if there is none. */
    public static final MadField DR_SLID = FIELDS.hex("drSlid", 32, 16);
    /** LID-routed part behind the directed one: LID of the responder; 0xFFFF if there is none. */
    public static final MadField DR_DLID = FIELDS.hex("drDlid", 34, 16);
    /** Ports by which the request leaves the nodes of its path. */
    public static final MadArray INITIAL_PATH = FIELDS.decimalArray("initialPath", 128, 8, 64);
    /** Ports at which the request arrives, written by the nodes of its path. */
    public static final MadArray RETURN_PATH = FIELDS.decimalArray("returnPath", 192, 8, 64);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(Mad.BYTES);

    private Smp() {}
}

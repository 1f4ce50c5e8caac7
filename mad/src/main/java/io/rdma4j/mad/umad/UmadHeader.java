// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad.umad;

import io.rdma4j.base.Gid;
import io.rdma4j.mad.MadAddress;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.Rate;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The 64 bytes before each datagram of a {@link UmadFile}. Corresponds to {@code struct ib_user_mad_hdr}. Numbers are
 * in native order, but for QPN, Q_Key, LID and flow label.
 *
 * @param id {@code id}: number of the agent in its file
 * @param status {@code status}: 0, or an errno if the message was not answered
 * @param timeoutMs {@code timeout_ms}: time for the response; 0 if none is expected
 * @param retries {@code retries}: maximum number of further transmissions
 * @param length {@code length}: bytes of header and message; read only
 * @param address destination or source: {@code qpn} to {@code flow_label} and {@code pkey_index}
 */
public record UmadHeader(int id, int status, int timeoutMs, int retries, int length, MadAddress address) {
    /** Bytes of the header. */
    public static final int BYTES = 64;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfInt BE_INT = INT.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfShort BE_SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong BE_LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int STATUS = 4;
    private static final int TIMEOUT = 8;
    private static final int RETRIES = 12;
    private static final int LENGTH = 16;
    private static final int QPN = 20;
    private static final int QKEY = 24;
    private static final int LID = 28;
    private static final int SL = 30;
    private static final int PATH_BITS = 31;
    private static final int GRH_PRESENT = 32;
    private static final int GID_INDEX = 33;
    private static final int HOP_LIMIT = 34;
    private static final int TRAFFIC_CLASS = 35;
    private static final int GID = 36;
    private static final int FLOW_LABEL = 52;
    private static final int PKEY_INDEX = 56;
    private static final int FLOW_LABEL_MASK = 0xF_FFFF;
    private static final int SL_MASK = 0xF;
    private static final int PATH_BITS_MASK = 0x7F;

    private static int unsigned(MemorySegment memory, int offset) {
        return memory.get(ValueLayout.JAVA_BYTE, offset) & 0xFF;
    }

    /**
     * {@return the header at the beginning of some memory}
     *
     * @param memory at least 64 bytes
     * @param port port number of the file
     */
    public static UmadHeader read(MemorySegment memory, int port) {
        GlobalRoute route = memory.get(ValueLayout.JAVA_BYTE, GRH_PRESENT) == 0
                ? null
                : new GlobalRoute(
                        new Gid(memory.get(BE_LONG, GID), memory.get(BE_LONG, GID + Long.BYTES)),
                        memory.get(BE_INT, FLOW_LABEL) & FLOW_LABEL_MASK,
                        unsigned(memory, GID_INDEX),
                        unsigned(memory, HOP_LIMIT),
                        unsigned(memory, TRAFFIC_CLASS));
        AddressVector vector = new AddressVector(
                route,
                Short.toUnsignedInt(memory.get(BE_SHORT, LID)),
                unsigned(memory, SL) & SL_MASK,
                unsigned(memory, PATH_BITS) & PATH_BITS_MASK,
                Rate.PORT_CURRENT,
                port);
        return new UmadHeader(
                memory.get(INT, 0),
                memory.get(INT, STATUS),
                memory.get(INT, TIMEOUT),
                memory.get(INT, RETRIES),
                memory.get(INT, LENGTH),
                new MadAddress(
                        vector,
                        memory.get(BE_INT, QPN),
                        memory.get(BE_INT, QKEY),
                        Short.toUnsignedInt(memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, PKEY_INDEX))));
    }

    /**
     * Writes the header.
     *
     * @param memory at least 64 bytes
     */
    public void write(MemorySegment memory) {
        memory.asSlice(0, BYTES).fill((byte) 0);
        memory.set(INT, 0, id);
        memory.set(INT, STATUS, status);
        memory.set(INT, TIMEOUT, timeoutMs);
        memory.set(INT, RETRIES, retries);
        memory.set(INT, LENGTH, length);
        memory.set(BE_INT, QPN, address.qpn());
        memory.set(BE_INT, QKEY, address.qkey());
        AddressVector vector = address.vector();
        memory.set(BE_SHORT, LID, (short) vector.dlid());
        memory.set(ValueLayout.JAVA_BYTE, SL, (byte) vector.serviceLevel());
        memory.set(ValueLayout.JAVA_BYTE, PATH_BITS, (byte) vector.sourcePathBits());
        GlobalRoute route = vector.route();
        if (route != null) {
            memory.set(ValueLayout.JAVA_BYTE, GRH_PRESENT, (byte) 1);
            memory.set(ValueLayout.JAVA_BYTE, GID_INDEX, (byte) route.sourceGidIndex());
            memory.set(ValueLayout.JAVA_BYTE, HOP_LIMIT, (byte) route.hopLimit());
            memory.set(ValueLayout.JAVA_BYTE, TRAFFIC_CLASS, (byte) route.trafficClass());
            memory.set(BE_LONG, GID, route.destination().prefix());
            memory.set(BE_LONG, GID + Long.BYTES, route.destination().interfaceId());
            memory.set(BE_INT, FLOW_LABEL, route.flowLabel());
        }
        memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, PKEY_INDEX, (short) address.pkeyIndex());
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.Rate;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes {@code struct ibv_ah_attr}. Programs leave garbage in bits that adapters ignore, such as the upper
 * 12 of a flow label. These bits are dropped.
 */
final class PathFormat {
    private static final int FLOW_LABEL = 0xF_FFFF;
    private static final int SERVICE_LEVEL = 0xF;
    private static final int PATH_BITS = 0x7F;

    private PathFormat() {}

    /** Reads a path; {@code address} is that of the structure. */
    static AddressVector get(long address) {
        GlobalRoute route = CMemory.getByte(address + 29) == 0
                ? null
                : new GlobalRoute(
                        CMemory.getGid(address),
                        CMemory.getInt(address + 16) & FLOW_LABEL,
                        CMemory.getByte(address + 20),
                        CMemory.getByte(address + 21),
                        CMemory.getByte(address + 22));
        return new AddressVector(
                route,
                CMemory.getShort(address + 24),
                CMemory.getByte(address + 26) & SERVICE_LEVEL,
                CMemory.getByte(address + 27) & PATH_BITS,
                rate(CMemory.getByte(address + 28)),
                CMemory.getByte(address + 30));
    }

    /** The rate of a code; an unknown one is that of the port. */
    static Rate rate(int code) {
        for (Rate rate : Rate.values()) {
            if (rate.code() == code) {
                return rate;
            }
        }
        return Rate.PORT_CURRENT;
    }

    /** Writes a path into a structure whose bytes are zero. */
    static void put(long address, @Nullable AddressVector path) {
        if (path == null) {
            return;
        }
        GlobalRoute route = path.route();
        if (route != null) {
            CMemory.putGid(address, route.destination());
            CMemory.putInt(address + 16, route.flowLabel());
            CMemory.putByte(address + 20, route.sourceGidIndex());
            CMemory.putByte(address + 21, route.hopLimit());
            CMemory.putByte(address + 22, route.trafficClass());
            CMemory.putByte(address + 29, 1);
        }
        CMemory.putShort(address + 24, path.dlid());
        CMemory.putByte(address + 26, path.serviceLevel());
        CMemory.putByte(address + 27, path.sourcePathBits());
        CMemory.putByte(address + 28, path.staticRate().code());
        CMemory.putByte(address + 30, path.port());
    }
}

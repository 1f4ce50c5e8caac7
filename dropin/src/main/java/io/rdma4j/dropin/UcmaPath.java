// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import io.rdma4j.cm.CmPath;
import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.device.GidEntry;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;

/**
 * Paths as {@code struct ibv_path_data}: flags, and a record of a path as it is on the wire. Addresses are those of the
 * structures.
 */
final class UcmaPath {
    /** {@code IB_PATH_GMP}, {@code IB_PATH_PRIMARY} and {@code IB_PATH_BIDIRECTIONAL}. */
    private static final int FLAGS = 0x2B;

    private static final int RECORD = 8;
    private static final int BYTES = 72;

    /** {@code IB_SA_EQ}: the value is exact. */
    private static final int EXACTLY = 2;

    private static final int FLOW_LABEL = 0xF_FFFF;
    private static final int BYTE = 0xFF;
    private static final int SERVICE_LEVEL = 0xF;

    /** The bits of a value behind its selector. */
    private static final int VALUE = 0x3F;

    private UcmaPath() {}

    /** Writes one path. */
    static void put(long array, CmPath path) {
        CMemory.putInt(array, FLAGS);
        long at = array + RECORD;
        CMemory.putGid(at + 8, path.destinationGid());
        CMemory.putGid(at + 24, path.sourceGid());
        GlobalRoute route = path.addressVector().route();
        if (route != null) {
            CMemory.putInt(at + 44, Integer.reverseBytes(route.flowLabel() << Byte.SIZE | route.hopLimit()));
            CMemory.putByte(at + 48, route.trafficClass());
        }
        CMemory.putByte(at + 49, 0x81); // reversible, one path
        CMemory.putShort(at + 50, UcmaFormat.bigEndian(path.pkey()));
        CMemory.putShort(at + 52, UcmaFormat.bigEndian(path.addressVector().serviceLevel()));
        CMemory.putByte(at + 54, EXACTLY << 6 | path.mtu().code());
        CMemory.putByte(
                at + 55, EXACTLY << 6 | path.addressVector().staticRate().code());
        CMemory.putByte(at + 56, EXACTLY << 6 | path.packetLifetime());
    }

    /**
     * Reads the first path of an array that has all flags; the other ones are not used, as in the kernel.
     *
     * @throws RdmaException EINVAL if there is none, or it does not begin at an address of the device
     */
    static CmPath primary(RdmaId id, long array, int bytes) {
        if (bytes < 0 || bytes % BYTES != 0) {
            throw new RdmaException(Errno.EINVAL, bytes + " bytes are no array of paths of " + BYTES + " bytes");
        }
        for (long at = array; at < array + bytes; at += BYTES) {
            if (CMemory.getInt(at) == FLAGS) {
                return get(id, at + RECORD);
            }
        }
        throw new RdmaException(Errno.EINVAL, "no path for management datagrams and both directions");
    }

    private static CmPath get(RdmaId id, long at) {
        Context context = id.verbs();
        if (context == null) {
            throw new RdmaException(Errno.EINVAL, "a path of an id without device");
        }
        Gid source = CMemory.getGid(at + 24);
        GidEntry entry = context.findGid(source)
                .orElseThrow(() -> new RdmaException(Errno.EINVAL, source + " is no address of " + context.device()));
        int flow = Integer.reverseBytes(CMemory.getInt(at + 44));
        GlobalRoute route = new GlobalRoute(
                CMemory.getGid(at + 8),
                flow >>> Byte.SIZE & FLOW_LABEL,
                entry.index(),
                flow & BYTE,
                CMemory.getByte(at + 48));
        int pkey = UcmaFormat.bigEndian(CMemory.getShort(at + 50));
        int serviceLevel = UcmaFormat.bigEndian(CMemory.getShort(at + 52)) & SERVICE_LEVEL;
        return new CmPath(
                new AddressVector(
                        route, 0, serviceLevel, 0, PathFormat.rate(CMemory.getByte(at + 55) & VALUE), id.port()),
                source,
                0,
                pkey,
                context.pkeyIndex(id.port(), pkey),
                Mtu.ofCode(CMemory.getByte(at + 54) & VALUE),
                CMemory.getByte(at + 56) & VALUE);
    }
}

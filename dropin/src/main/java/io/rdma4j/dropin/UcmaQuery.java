// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import io.rdma4j.base.Gid;
import io.rdma4j.cm.CmPath;
import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.rdmacm.RdmaIdState;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import java.net.InetSocketAddress;

/** Answers to questions about an id: its device, its addresses, its path. */
final class UcmaQuery {
    /** {@code struct rdma_ucm_query_route_resp}; older programs do not have the last two members. */
    static final int ROUTE_BYTES = 208;

    static final int LEAST_ROUTE_BYTES = 200;

    /** {@code struct rdma_ucm_query_addr_resp}; older programs do not have the last two members. */
    static final int ADDRESS_BYTES = 280;

    static final int LEAST_ADDRESS_BYTES = 272;

    /** {@code struct rdma_ucm_query_path_resp} with one path. */
    static final int PATH_BYTES = 80;

    static final int LEAST_PATH_BYTES = 8;

    private static final int DEFAULT_PKEY = 0xFFFF;

    private final RdmaId id;
    private final Gid source;
    private final Gid destination;

    UcmaQuery(RdmaId id) {
        this.id = id;
        source = Gid.of(id.localAddress().getAddress());
        destination = Gid.of(id.peerAddress().getAddress());
    }

    /** Writes the device; the arguments are the addresses of the members. */
    private void putDevice(long guid, long port, long index) {
        Context context = id.verbs();
        if (context != null) {
            Device device = context.device();
            CMemory.putLong(guid, Long.reverseBytes(device.guid()));
            CMemory.putByte(port, id.port());
            CMemory.putInt(index, DeviceVerbs.devices().indexOf(device) + 1);
        }
    }

    /** An unbound id has addresses without family; the peer's address has at least that of the own one. */
    private int putAddresses(long own, long peer) {
        if (id.state() == RdmaIdState.IDLE) {
            return 0;
        }
        InetSocketAddress local = id.localAddress();
        int length = UcmaFormat.putAddress(own, local);
        if (destination.isZero()) {
            CMemory.putShort(peer, CMemory.getShort(own));
        } else {
            UcmaFormat.putAddress(peer, id.peerAddress());
        }
        return length;
    }

    void putRoute(long out) {
        putDevice(out, out + 196, out + 200);
        putAddresses(out + 136, out + 164);
        CmPath path = id.path();
        if (path != null) {
            CMemory.putInt(out + 192, 1);
            UcmaFormat.putPath(out + 8, path);
        } else if (id.verbs() != null) {
            UcmaFormat.putPathAddresses(out + 8, source, destination, DEFAULT_PKEY);
        }
    }

    void putAddress(long out) {
        putDevice(out, out + 8, out + 272);
        int length = putAddresses(out + 16, out + 144);
        CMemory.putShort(out + 10, id.verbs() == null ? 0 : DEFAULT_PKEY);
        CMemory.putShort(out + 12, length);
        CMemory.putShort(out + 14, length);
    }

    void putGids(long out) {
        putDevice(out, out + 8, out + 272);
        CMemory.putShort(out + 12, UcmaFormat.putGid(out + 16, source, DEFAULT_PKEY));
        CMemory.putShort(out + 14, UcmaFormat.putGid(out + 144, destination, DEFAULT_PKEY));
    }

    void putPath(long out) {
        CmPath path = id.path();
        if (path != null) {
            CMemory.putInt(out, 1);
            UcmaPath.put(out + 8, path);
        }
    }
}

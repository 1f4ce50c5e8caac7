// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.cm.CmPath;
import io.rdma4j.rdmacm.ConnectParameters;
import io.rdma4j.rdmacm.DatagramPeer;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AlternatePath;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.QpAttribute;
import io.rdma4j.verbs.values.QpAttributes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/** Reads and writes the structures of {@code <rdma/rdma_user_cm.h>}; addresses are those of the structures. */
final class UcmaFormat {
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    private static final int AF_IB = 27;
    private static final int IPV4_BYTES = 4;
    private static final int IPV6_BYTES = 16;
    /** Offset of {@code sin6_scope_id} in {@code struct sockaddr_in6}. */
    private static final int IPV6_SCOPE = 24;

    private static final int MAX_PRIVATE_DATA = 256;
    private static final int QPN = 0xFF_FFFF;

    /** {@code IB_SA_EQ}: the value is exact. */
    private static final int EXACTLY = 2;

    private UcmaFormat() {}

    // Addresses

    /** Reads a socket address; null if its family is 0. */
    static @Nullable InetSocketAddress address(long at) {
        int family = CMemory.getShort(at);
        if (family == 0) {
            return null;
        }
        int bytes = family == AF_INET ? IPV4_BYTES : IPV6_BYTES;
        if (family != AF_INET && family != AF_INET6) {
            throw new RdmaException(Errno.EAFNOSUPPORT, "addresses of family " + family + " are not supported");
        }
        byte[] ip = CMemory.segment(at + (family == AF_INET ? 4 : 8), bytes).toArray(ValueLayout.JAVA_BYTE);
        try {
            InetAddress address = family == AF_INET
                    ? InetAddress.getByAddress(ip)
                    : Inet6Address.getByAddress(null, ip, CMemory.getInt(at + IPV6_SCOPE));
            return new InetSocketAddress(address, bigEndian(CMemory.getShort(at + 2)));
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    /** As {@link #address}; EINVAL for family 0. */
    static InetSocketAddress requireAddress(long at) {
        InetSocketAddress address = address(at);
        if (address == null) {
            throw new RdmaException(Errno.EINVAL, "an address has no family");
        }
        return address;
    }

    /** Writes a socket address into memory whose bytes are zero; returns its length. */
    static int putAddress(long at, InetSocketAddress address) {
        byte[] ip = address.getAddress().getAddress();
        boolean isIpv4 = ip.length == IPV4_BYTES;
        CMemory.putShort(at, isIpv4 ? AF_INET : AF_INET6);
        CMemory.putShort(at + 2, bigEndian(address.getPort()));
        CMemory.segment(at + (isIpv4 ? 4 : 8), ip.length).copyFrom(MemorySegment.ofArray(ip));
        if (address.getAddress() instanceof Inet6Address scoped) {
            CMemory.putInt(at + IPV6_SCOPE, scoped.getScopeId());
        }
        return isIpv4 ? 16 : 28;
    }

    /** Writes a {@code struct sockaddr_ib}; returns its length. */
    static int putGid(long at, Gid gid, int pkey) {
        CMemory.putShort(at, AF_IB);
        CMemory.putShort(at + 2, bigEndian(pkey));
        CMemory.putGid(at + 8, gid);
        return 48;
    }

    static int bigEndian(int value) {
        return Short.toUnsignedInt(Short.reverseBytes((short) value));
    }

    // Connections

    /** Reads {@code struct rdma_ucm_conn_param}. */
    static ConnectParameters parameters(long at) {
        MemorySegment data = CMemory.segment(at + 8, CMemory.getByte(at + 264));
        return new ConnectParameters(
                MemorySegment.ofArray(data.toArray(ValueLayout.JAVA_BYTE)),
                CMemory.getByte(at + 266),
                CMemory.getByte(at + 267),
                CMemory.getByte(at + 268) != 0,
                CMemory.getByte(at + 269),
                CMemory.getByte(at + 270),
                CMemory.getByte(at + 265) != 0,
                CMemory.getInt(at) & QPN);
    }

    /** Whether a {@code struct rdma_ucm_conn_param} has values. */
    static boolean isValid(long parameters) {
        return CMemory.getByte(parameters + 271) != 0;
    }

    static void putParameters(long at, ConnectParameters parameters) {
        CMemory.putInt(at, parameters.qpn());
        CMemory.putByte(at + 265, parameters.srq() ? 1 : 0);
        CMemory.putByte(at + 266, parameters.responderResources());
        CMemory.putByte(at + 267, parameters.initiatorDepth());
        CMemory.putByte(at + 268, parameters.flowControl() ? 1 : 0);
        CMemory.putByte(at + 269, parameters.retryCount());
        CMemory.putByte(at + 270, parameters.rnrRetryCount());
        CMemory.putByte(at + 271, 1);
    }

    /** Writes the first members of {@code struct rdma_ucm_ud_param}. */
    static void putPeer(long at, DatagramPeer peer) {
        CMemory.putInt(at, peer.qpn());
        CMemory.putInt(at + 4, peer.qkey());
        PathFormat.put(at + 8, peer.addressVector());
    }

    /** Writes private data and its length, one byte, behind the field of 256 bytes. */
    static void putPrivateData(long at, MemorySegment data) {
        int bytes = (int) Math.min(data.byteSize(), MAX_PRIVATE_DATA - 1);
        CMemory.segment(at, bytes).copyFrom(data.asSlice(0, bytes));
        CMemory.putByte(at + MAX_PRIVATE_DATA, bytes);
    }

    // Paths and queue pairs

    /** Writes {@code struct ib_user_path_rec}. */
    static void putPath(long at, CmPath path) {
        putPathAddresses(at, path.sourceGid(), path.destinationGid(), path.pkey());
        GlobalRoute route = path.addressVector().route();
        if (route != null) {
            CMemory.putInt(at + 40, Integer.reverseBytes(route.flowLabel()));
            CMemory.putByte(at + 54, route.hopLimit());
            CMemory.putByte(at + 55, route.trafficClass());
        }
        CMemory.putInt(at + 44, 1); // reversible
        CMemory.putInt(at + 48, path.mtu().code());
        CMemory.putByte(at + 57, path.addressVector().serviceLevel());
        CMemory.putByte(at + 58, EXACTLY);
        CMemory.putByte(at + 59, EXACTLY);
        CMemory.putByte(at + 60, path.addressVector().staticRate().code());
        CMemory.putByte(at + 61, EXACTLY);
        CMemory.putByte(at + 62, path.packetLifetime());
    }

    /** Writes what is known of a path before it is resolved. */
    static void putPathAddresses(long at, Gid source, Gid destination, int pkey) {
        CMemory.putGid(at, destination);
        CMemory.putGid(at + 16, source);
        CMemory.putShort(at + 52, bigEndian(pkey));
    }

    /** Writes {@code struct ib_uverbs_qp_attr}. */
    static void putQpAttributes(long at, QpAttributes attributes) {
        CMemory.putInt(at, QpAttribute.mask(attributes.mask()));
        for (QpAttribute attribute : attributes.mask()) {
            put(attribute, at, attributes);
        }
    }

    private static void put(QpAttribute attribute, long at, QpAttributes from) {
        switch (attribute) {
            case STATE -> CMemory.putInt(at + 4, from.state().code());
            case CUR_STATE -> CMemory.putInt(at + 8, from.currentState().code());
            case PATH_MTU -> CMemory.putInt(at + 12, from.pathMtu().code());
            case PATH_MIG_STATE -> CMemory.putInt(at + 16, from.migrationState().code());
            case QKEY -> CMemory.putInt(at + 20, from.qkey());
            case RQ_PSN -> CMemory.putInt(at + 24, from.rqPsn());
            case SQ_PSN -> CMemory.putInt(at + 28, from.sqPsn());
            case DEST_QPN -> CMemory.putInt(at + 32, from.destinationQpn());
            case ACCESS_FLAGS -> CMemory.putInt(at + 36, AccessFlag.mask(from.accessFlags()));
            case AV -> PathFormat.put(at + 40, from.addressVector());
            case ALT_PATH -> putAlternatePath(at, from.alternatePath());
            case PKEY_INDEX -> CMemory.putShort(at + 124, from.pkeyIndex());
            case MAX_QP_RD_ATOMIC -> CMemory.putByte(at + 130, from.maxRdAtomic());
            case MAX_DEST_RD_ATOMIC -> CMemory.putByte(at + 131, from.maxDestRdAtomic());
            case MIN_RNR_TIMER -> CMemory.putByte(at + 132, from.minRnrTimer());
            case PORT -> CMemory.putByte(at + 133, from.port());
            case TIMEOUT -> CMemory.putByte(at + 134, from.timeout());
            case RETRY_CNT -> CMemory.putByte(at + 135, from.retryCount());
            case RNR_RETRY -> CMemory.putByte(at + 136, from.rnrRetry());
            // A communication manager sets none of these.
            case CAP, EN_SQD_ASYNC_NOTIFY, RATE_LIMIT -> {}
        }
    }

    private static void putAlternatePath(long at, @Nullable AlternatePath path) {
        if (path != null) {
            PathFormat.put(at + 72, path.addressVector());
            CMemory.putShort(at + 126, path.pkeyIndex());
            CMemory.putByte(at + 137, path.port());
            CMemory.putByte(at + 138, path.timeout());
        }
    }
}

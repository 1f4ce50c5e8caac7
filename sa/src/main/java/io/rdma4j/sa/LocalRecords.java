// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sa;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.sa.McMemberRecord;
import io.rdma4j.wire.mad.sa.PathRecord;

/** Records of RoCE ports, which have no SA: as {@code rdma_cm} of Linux makes them. */
final class LocalRecords {
    private static final int DEFAULT_PKEY = 0xFFFF;
    private static final long UDP_QKEY = 0x0123_4567;
    private static final int HOP_LIMIT = 64;
    private static final int EXACTLY = 2;
    /** Exponent of 4.096 µs. */
    private static final int PACKET_LIFE_TIME = 18;
    /** The rate of the port. */
    private static final int RATE_OF_PORT = 0;

    private final SaPort port;

    LocalRecords(SaPort port) {
        this.port = port;
    }

    /** @throws RdmaException EINVAL without both GIDs, or for a source that is no GID of the port */
    SaRecord path(SaRecord wanted) {
        if (!wanted.has(PathRecord.DGID) || !wanted.has(PathRecord.SGID)) {
            throw new RdmaException(Errno.EINVAL, "a path on RoCE needs source and destination GID");
        }
        Gid source = wanted.gid(PathRecord.SGID);
        if (!port.hasGid(source)) {
            throw new RdmaException(Errno.EINVAL, source + " is no GID of the port");
        }
        SaRecord path = wanted.copy();
        path.set(PathRecord.REVERSIBLE, 1)
                .set(PathRecord.NUMB_PATH, 1)
                .set(PathRecord.MTU_SELECTOR, EXACTLY)
                .set(PathRecord.MTU, port.attributes().activeMtu().code())
                .set(PathRecord.RATE_SELECTOR, EXACTLY)
                .set(PathRecord.RATE, RATE_OF_PORT)
                .set(PathRecord.LIFE_SELECTOR, EXACTLY)
                .set(PathRecord.PACKET_LIFE_TIME, PACKET_LIFE_TIME);
        setDefault(path, PathRecord.PKEY, DEFAULT_PKEY);
        setDefault(path, PathRecord.HOP_LIMIT, HOP_LIMIT);
        return path;
    }

    private static void setDefault(SaRecord record, MadField field, long value) {
        if (!record.has(field)) {
            record.set(field, value);
        }
    }

    /** The record of a group that a member creates by joining it. */
    SaRecord group(SaRecord wanted) {
        SaRecord group = wanted.copy();
        boolean isIpv4 = wanted.gid(McMemberRecord.MGID).isIpv4();
        setDefault(group, McMemberRecord.PKEY, DEFAULT_PKEY);
        setDefault(group, McMemberRecord.QKEY, UDP_QKEY);
        setDefault(group, McMemberRecord.HOP_LIMIT, isIpv4 ? HOP_LIMIT : 1);
        return group.set(McMemberRecord.MTU_SELECTOR, EXACTLY)
                .set(McMemberRecord.MTU, port.attributes().activeMtu().code())
                .set(McMemberRecord.RATE_SELECTOR, EXACTLY)
                .set(McMemberRecord.RATE, RATE_OF_PORT);
    }
}

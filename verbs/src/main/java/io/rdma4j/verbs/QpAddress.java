// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.Psn;
import io.rdma4j.base.Qpn;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.Arguments;
import java.nio.ByteBuffer;
import java.security.SecureRandom;

/**
 * The address of a queue pair for a RoCE connection; immutable. Each peer creates its own address, sends it to the
 * other over a channel of the application such as TCP, and passes both to {@link QueuePair#connect}.
 *
 * {@snippet :
 * QpAddress own = QpAddress.of(qp);
 * socket.getOutputStream().write(own.toBytes());
 * QpAddress peer = QpAddress.ofBytes(socket.getInputStream().readNBytes(QpAddress.BYTES));
 * qp.connect(own, peer);
 * }
 *
 * @param gid of the port
 * @param qpn queue pair number: 24 bits
 * @param psn PSN of the first packet that the queue pair sends: 24 bits
 */
public record QpAddress(Gid gid, int qpn, int psn) {
    /** Length of {@link #toBytes}. */
    public static final int BYTES = Gid.BYTES + 2 * Integer.BYTES;

    private static final int FIRST_PORT = 1;

    /**
     * Checks the widths.
     *
     * @throws RdmaException EINVAL for null, or if a number has more than 24 bits
     */
    public QpAddress {
        Arguments.present("gid", gid);
        Arguments.atMost("qpn", qpn, Qpn.MASK);
        Arguments.atMost("psn", psn, Psn.MASK);
    }

    /**
     * {@return the address of a queue pair with the first GID of port 1, as with {@link #of(QueuePair, int, int)}}
     *
     * @param qp of this process
     */
    public static QpAddress of(QueuePair qp) {
        return of(qp, FIRST_PORT, 0);
    }

    /**
     * {@return the address of a queue pair with a first PSN of 24 random bits} The random PSN makes it unlikely that a
     * packet of an earlier connection with the same QPN is accepted. It also prevents that another host predicts the
     * PSN from those of other connections.
     *
     * @param qp of this process
     * @param port that it will use, from 1
     * @param gidIndex slot of the port's GID table, from 0
     * @throws RdmaException EINVAL if the port or the slot does not exist, ENODATA if the slot is empty
     */
    public static QpAddress of(QueuePair qp, int port, int gidIndex) {
        Arguments.present("qp", qp);
        Gid gid = qp.context().queryGidEntry(port, gidIndex).gid();
        return new QpAddress(gid, qp.qpn(), Random.SOURCE.nextInt(Psn.MASK + 1));
    }

    /** Initialized with the first address, because its creation is slow. */
    private static final class Random {
        static final SecureRandom SOURCE = new SecureRandom();
    }

    /** {@return GID, queue pair number (32 bits) and PSN (32 bits), all in network order; newly allocated} */
    public byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .put(gid.toBytes())
                .putInt(qpn)
                .putInt(psn)
                .array();
    }

    /**
     * {@return the address that {@link #toBytes} wrote}
     *
     * @param bytes 24 bytes; not kept
     * @throws RdmaException EINVAL for another length, or for numbers of more than 24 bits
     */
    public static QpAddress ofBytes(byte[] bytes) {
        Arguments.present("bytes", bytes);
        if (bytes.length != BYTES) {
            throw new RdmaException(Errno.EINVAL, "a queue pair's address has 24 bytes, not " + bytes.length);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        Gid gid = new Gid(buffer.getLong(), buffer.getLong());
        return new QpAddress(gid, buffer.getInt(), buffer.getInt());
    }
}

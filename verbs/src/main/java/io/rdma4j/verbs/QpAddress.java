package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.Psn;
import io.rdma4j.base.Qpn;
import io.rdma4j.base.RdmaException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;

/**
 * What a peer must know of a queue pair to be connected with it over RoCE. Each side makes its own, tells it the other (how is up
 * to the programs: over TCP, say), and gives both to {@link QueuePair#connect}; immutable.
 *
 * {@snippet :
 * QpAddress own = QpAddress.of(qp);
 * socket.getOutputStream().write(own.toBytes());
 * QpAddress peer = QpAddress.ofBytes(socket.getInputStream().readNBytes(QpAddress.BYTES));
 * qp.connect(own, peer);
 * }
 *
 * @param gid of the port
 * @param qpn of the queue pair there: 24 bits
 * @param psn the number that its first packet will have: 24 bits
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
     * {@return that of a queue pair, by the first GID of port 1; {@link #of(QueuePair, int, int)} says the rest}
     *
     * @param qp of this process
     */
    public static QpAddress of(QueuePair qp) {
        return of(qp, FIRST_PORT, 0);
    }

    /**
     * {@return that of a queue pair, with a first PSN of 24 random bits: a packet of an earlier connection of the same number is
     * hardly ever taken for one of this connection, and another host cannot predict the PSN from those of other connections}
     *
     * @param qp of this process
     * @param port that it shall use, from 1
     * @param gidIndex slot of the port's GID table, from 0
     * @throws RdmaException EINVAL if there is no such port or slot, ENODATA if the slot is empty
     */
    public static QpAddress of(QueuePair qp, int port, int gidIndex) {
        Arguments.present("qp", qp);
        Gid gid = qp.context().queryGidEntry(port, gidIndex).gid();
        return new QpAddress(gid, qp.qpn(), Random.SOURCE.nextInt(Psn.MASK + 1));
    }

    /** Made with the first address: it takes a while. */
    private static final class Random {
        static final SecureRandom SOURCE = new SecureRandom();
    }

    /** {@return GID, queue pair number (32 bits) and PSN (32 bits), all in network order; freshly allocated} */
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
     * @param bytes 24 of them; not kept
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

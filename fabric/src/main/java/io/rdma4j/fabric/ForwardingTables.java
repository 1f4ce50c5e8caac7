// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.wire.ib.Lid;
import java.util.Arrays;

/**
 * The linear and the multicast forwarding table of a switch (IBA 18.2.4.3): an output port for each unicast LID, and a
 * set of output ports for each multicast LID. New tables lead nowhere.
 */
public final class ForwardingTables {
    /** Entry of a LID without a port. */
    public static final int NO_PORT = 0xFF;

    private final int ports;
    private final byte[] linear;
    private final long[] multicast;
    private final int words;
    private int linearTop;
    private int primaryPort = NO_PORT;
    private int notPrimaryPort = NO_PORT;

    ForwardingTables(int ports, int linearCap, int multicastCap) {
        this.ports = ports;
        this.words = ports / Long.SIZE + 1;
        this.linear = new byte[linearCap];
        this.multicast = new long[multicastCap * words];
        Arrays.fill(linear, (byte) NO_PORT);
        this.linearTop = linearCap - 1;
    }

    /** {@return number of entries of the linear table} */
    public int linearCap() {
        return linear.length;
    }

    /** {@return number of entries of the multicast table} */
    public int multicastCap() {
        return multicast.length / words;
    }

    /**
     * Sets the output port of a LID.
     *
     * @param lid below {@link #linearCap}
     * @param port 0 for the switch itself, {@link #NO_PORT} for none
     * @throws RdmaException EINVAL if the table has no entry for the LID
     */
    public void linear(int lid, int port) {
        requireEntry("linear", lid, linear.length);
        linear[lid] = (byte) port;
    }

    /**
     * {@return the entry of a LID}
     *
     * @param lid below {@link #linearCap}
     * @throws RdmaException EINVAL if the table has no entry for the LID
     */
    public int linear(int lid) {
        requireEntry("linear", lid, linear.length);
        return linear[lid] & 0xFF;
    }

    /**
     * Sets the highest LID that the switch looks up.
     *
     * @param lid below {@link #linearCap}
     * @throws RdmaException EINVAL if the table has no entry for the LID
     */
    public void linearTop(int lid) {
        requireEntry("linear", lid, linear.length);
        linearTop = lid;
    }

    /**
     * Adds or removes an output port of a multicast LID.
     *
     * @param mlid from 0xC000 on
     * @param port 0 for the switch itself
     * @param member true to add it
     * @throws RdmaException EINVAL if the table has no entry for the LID, or the switch has no such port
     */
    public void multicast(int mlid, int port, boolean member) {
        requireEntry("multicast", mlid - Lid.MULTICAST, multicastCap());
        if (port < 0 || port > ports) {
            throw new RdmaException(Errno.EINVAL, "the switch has ports 0.." + ports + ", not " + port);
        }
        int word = (mlid - Lid.MULTICAST) * words + port / Long.SIZE;
        long bit = 1L << port;
        multicast[word] = member ? multicast[word] | bit : multicast[word] & ~bit;
    }

    /**
     * {@return true if packets to a multicast LID leave by a port}
     *
     * @param mlid from 0xC000 on
     * @param port 0 for the switch itself
     * @throws RdmaException EINVAL if the table has no entry for the LID
     */
    public boolean isMulticastMember(int mlid, int port) {
        requireEntry("multicast", mlid - Lid.MULTICAST, multicastCap());
        return isMember(mlid, port, port);
    }

    /**
     * Sets the ports for multicast LIDs above the table.
     *
     * @param primary output port, {@link #NO_PORT} for none
     * @param notPrimary output port of packets that arrive at the primary one
     */
    public void defaultMulticastPorts(int primary, int notPrimary) {
        primaryPort = primary;
        notPrimaryPort = notPrimary;
    }

    private static void requireEntry(String table, int index, int entries) {
        if (index < 0 || index >= entries) {
            throw new RdmaException(
                    Errno.EINVAL, "the " + table + " table has " + entries + " entries, not an entry " + index);
        }
    }

    /** Returns the output port of a unicast LID, or {@link #NO_PORT}. */
    int unicast(int lid) {
        int port = lid > linearTop || lid == Lid.NONE ? NO_PORT : linear[lid] & 0xFF;
        return port > ports ? NO_PORT : port;
    }

    /** Returns true if a multicast packet leaves by a port. */
    boolean isMember(int mlid, int port, int inputPort) {
        int index = mlid - Lid.MULTICAST;
        if (index >= multicastCap()) {
            return port == (inputPort == primaryPort ? notPrimaryPort : primaryPort);
        }
        return (multicast[index * words + port / Long.SIZE] >>> port & 1) != 0;
    }
}

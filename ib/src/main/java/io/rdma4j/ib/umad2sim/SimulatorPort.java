// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib.umad2sim;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.device.NodeType;
import io.rdma4j.wire.ib.Lid;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.sm.NodeInfo;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Queue pairs 0 and 1 of a port that ibsim, or another server of the umad2sim protocol, simulates: the end of a program
 * that attaches to a node. One thread at a time.
 */
public final class SimulatorPort implements AutoCloseable {
    private static final long ANSWER_MS = 5_000;
    private static final int GSI_QPN = 1;
    private static final int MAX_PORT = 0xFFFF;

    /** The simulator writes the number of the client into the bits above these of the id of a request. */
    private static final int SIMULATOR_BITS = 48;

    private static final long OWN_BITS = (1L << SIMULATOR_BITS) - 1;
    private static final int MAX_OUTSTANDING = 1024;

    private final InetSocketAddress server;
    private final DatagramChannel control;
    private final DatagramChannel data;
    private final Selector answers;
    private final Selector datagrams;
    private final MemorySegment outgoing = MemorySegment.ofArray(new byte[DatagramMessage.BYTES]);
    private final ByteBuffer incoming = ByteBuffer.allocate(DatagramMessage.BYTES + 1);
    private int number;
    private boolean isAttached;
    private String node = "";
    private long guid;

    /** The ids of requests, by the bits that the simulator keeps. One that is never answered goes. */
    private final Map<Long, Long> ids = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Long> eldest) {
            return size() > MAX_OUTSTANDING;
        }
    };

    private SimulatorPort(InetSocketAddress server) throws IOException {
        this.server = server;
        this.control = DatagramChannel.open(StandardProtocolFamily.INET);
        this.data = DatagramChannel.open(StandardProtocolFamily.INET);
        this.answers = Selector.open();
        this.datagrams = Selector.open();
    }

    /**
     * {@return the port of a node}
     *
     * @param server address of the control socket: {@code ibsim -r -l PORT}
     * @param node name or description of the node; empty for the one that the server chooses
     * @throws IOException if there are no sockets
     * @throws RdmaException ECONNREFUSED or ETIMEDOUT without a server, ENOENT if it has no such node, or no room for
     *     another program, EIO if its answer names no client number that is possible
     */
    public static SimulatorPort attach(InetSocketAddress server, String node) throws IOException {
        SimulatorPort port = new SimulatorPort(server);
        try {
            port.connect(node);
            return port;
        } catch (RuntimeException | IOException e) {
            port.close();
            throw e;
        }
    }

    private void connect(String wanted) throws IOException {
        control.connect(server).configureBlocking(false).register(answers, SelectionKey.OP_READ);
        data.bind(null).configureBlocking(false).register(datagrams, SelectionKey.OP_READ);
        MemorySegment request = request(ControlMessage.CONNECT, ((InetSocketAddress) data.getLocalAddress()).getPort());
        ControlMessage.name(request, wanted);
        MemorySegment answer = ask(request);
        if (ControlMessage.type(answer) == ControlMessage.ERROR) {
            throw new RdmaException(
                    Errno.ENOENT,
                    "the simulator at " + server + " has no node \"" + wanted + "\", or no room for a program");
        }
        number = ControlMessage.word(answer, 0);
        node = ControlMessage.name(answer);
        if (number < 0 || number >= MAX_PORT - server.getPort()) {
            throw new RdmaException(Errno.EIO, "the simulator at " + server + " answers with client number " + number);
        }
        data.connect(new InetSocketAddress(server.getAddress(), server.getPort() + 1 + number));
        isAttached = true;
        MemorySegment info = ControlMessage.data(control(ControlMessage.GET_NODE_INFO, 0));
        boolean isSwitch = NodeInfo.NODE_TYPE.getInt(info, 0) == NodeType.SWITCH.code();
        guid = NodeInfo.NODE_GUID.get(info, 0) + (isSwitch ? 0 : 1);
    }

    /** {@return name of the node} */
    public String node() {
        return node;
    }

    /** {@return GUID of the port: of port 0 of a switch, of port 1 of another node} */
    public long guid() {
        return guid;
    }

    // Control messages

    private MemorySegment ask(MemorySegment request) throws IOException {
        try {
            control.write(request.asByteBuffer());
            if (answers.select(ANSWER_MS) > 0) {
                answers.selectedKeys().clear();
                ByteBuffer answer = ByteBuffer.allocate(ControlMessage.BYTES);
                control.read(answer);
                MemorySegment message = MemorySegment.ofBuffer(answer.flip());
                if (ControlMessage.isValid(message)) {
                    return message;
                }
            }
        } catch (PortUnreachableException e) {
            throw new RdmaException(Errno.ECONNREFUSED, "there is no simulator at " + server, e);
        }
        throw new RdmaException(Errno.ETIMEDOUT, "the simulator at " + server + " does not answer");
    }

    private MemorySegment request(int type, int word) {
        MemorySegment request = MemorySegment.ofArray(new byte[ControlMessage.BYTES]);
        ControlMessage.begin(request, number, type);
        ControlMessage.word(request, 0, word);
        return request;
    }

    private MemorySegment control(int type, int word) throws IOException {
        return ask(request(type, word));
    }

    /** Announces a subnet manager at the port, or its end. */
    void manager(boolean isThere) throws IOException {
        control(ControlMessage.SET_IS_SM, isThere ? 1 : 0);
    }

    // Datagrams

    /** Sends a datagram of queue pair 0. */
    void sendManagement(MemorySegment mad, int lid) throws IOException {
        send(mad, lid, 0, 0);
    }

    /** Sends a datagram of queue pair 1. */
    void sendGeneral(MemorySegment mad, int lid, int qpn) throws IOException {
        send(mad, lid, qpn, GSI_QPN);
    }

    private void send(MemorySegment mad, int lid, int destinationQpn, int sourceQpn) throws IOException {
        boolean isDirected = Mad.MGMT_CLASS.getInt(mad, 0) == MadClass.SUBN_DIRECTED_ROUTE.code();
        DatagramMessage.lids(outgoing, lid, isDirected ? Lid.PERMISSIVE : 0); // 0: the simulator writes it
        DatagramMessage.qpns(outgoing, destinationQpn, sourceQpn);
        DatagramMessage.length(outgoing, DatagramMessage.visibleLength(mad));
        MemorySegment.copy(mad, 0, outgoing, DatagramMessage.MAD, Mad.BYTES);
        if (!Mad.isResponse(mad, 0)) {
            long id = Mad.TRANSACTION_ID.get(mad, 0);
            ids.put(id & OWN_BITS, id);
        }
        data.write(outgoing.asByteBuffer());
    }

    /**
     * Returns the next message that has arrived, valid until the next call, or null. The status of a request that was
     * lost is not 0.
     *
     * @throws PortUnreachableException if the simulator has ended
     */
    @Nullable
    MemorySegment receive() throws IOException {
        MemorySegment message;
        do {
            incoming.clear();
            if (data.read(incoming) <= 0) {
                return null;
            }
            message = MemorySegment.ofBuffer(incoming.flip());
        } while (message.byteSize() != DatagramMessage.BYTES);
        MemorySegment mad = DatagramMessage.mad(message);
        if (Mad.isResponse(mad, 0) && Mad.METHOD.getInt(mad, 0) != MadMethod.TRAP_REPRESS.code()) {
            long id = Mad.TRANSACTION_ID.get(mad, 0);
            Long own = ids.remove(id & OWN_BITS);
            Mad.TRANSACTION_ID.put(mad, 0, own == null ? id : own);
        }
        return message;
    }

    /** Waits until a message arrives, {@link #wake} is called, or the time is over. */
    void await(long milliseconds) throws IOException {
        datagrams.select(milliseconds);
        datagrams.selectedKeys().clear();
    }

    /** Ends a wait. Any thread. */
    void wake() {
        datagrams.wakeup();
    }

    /** Leaves the node. Idempotent. */
    @Override
    public void close() throws IOException {
        if (!control.isOpen()) {
            return;
        }
        try (answers;
                datagrams;
                control;
                data) {
            if (isAttached) {
                control.write(request(ControlMessage.DISCONNECT, 0).asByteBuffer());
            }
        } catch (PortUnreachableException _) {
            // the simulator has ended, and holds nothing of this program
        }
    }
}

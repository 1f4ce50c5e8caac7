// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib.umad2sim;

import io.rdma4j.ib.IbFabric;
import io.rdma4j.ib.NodeAgents;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Serves a fabric to programs that run with the preload library libumad2sim and the variables {@code
 * IBSIM_SERVER_NAME} and {@code IBSIM_SERVER_PORT}. {@code SIM_HOST} names the node of the program; the default is the
 * first one. A thread of the server receives; any thread may open and close it.
 *
 * <p>Datagrams enter the fabric at the node of the program and take the way that its tables give them. Each
 * program that reaches the sockets can manage the fabric, so the address should be one of the loopback interface.
 */
public final class Umad2SimServer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Umad2SimServer.class.getName());
    private static final int MAX_CLIENTS = 256;
    private static final int MAX_PORT = 0xFFFF;

    private final IbFabric fabric;
    private final Umad2SimClients clients;
    private final InetSocketAddress address;
    private final DatagramChannel control;
    private final Selector selector;
    private final Thread thread;
    /** By number, the eldest one first. */
    private final Map<Integer, Attachment> attachments = new LinkedHashMap<>();

    /** A client with its socket, which receives only what the client sends. */
    private record Attachment(Umad2SimClient client, DatagramChannel channel, SocketAddress peer) {}

    private Umad2SimServer(IbFabric fabric, DatagramChannel control, Selector selector) throws IOException {
        this.fabric = fabric;
        this.clients = new Umad2SimClients(fabric);
        this.control = control;
        this.selector = selector;
        this.address = (InetSocketAddress) control.getLocalAddress();
        this.thread = Thread.ofPlatform().daemon().name("umad2sim").unstarted(this::serve);
    }

    /**
     * {@return a running server} Clients use its port and those above it.
     *
     * @param fabric with at least one node
     * @param address of the control socket; port 0 for any
     * @throws IOException if the address is in use
     */
    public static Umad2SimServer open(IbFabric fabric, InetSocketAddress address) throws IOException {
        Selector selector = Selector.open();
        DatagramChannel control = DatagramChannel.open();
        try {
            control.bind(address).configureBlocking(false).register(selector, SelectionKey.OP_READ);
            Umad2SimServer server = new Umad2SimServer(fabric, control, selector);
            server.thread.start();
            return server;
        } catch (IOException e) {
            control.close();
            selector.close();
            throw e;
        }
    }

    /** {@return the port of the control socket: the value of {@code IBSIM_SERVER_PORT}} */
    public int port() {
        return address.getPort();
    }

    // The thread of the server

    private void serve() {
        try {
            while (selector.isOpen()) {
                selector.select(this::receive);
            }
        } catch (ClosedSelectorException _) {
            // closed while the thread was not in select
        } catch (IOException | UncheckedIOException e) {
            LOG.log(System.Logger.Level.ERROR, "the umad2sim server has ended", e);
        }
    }

    private void receive(SelectionKey key) {
        try {
            ByteBuffer buffer = ByteBuffer.allocate(DatagramMessage.BYTES + 1);
            DatagramChannel channel = (DatagramChannel) key.channel();
            SocketAddress sender = channel.receive(buffer);
            if (sender == null) {
                return;
            }
            MemorySegment message = MemorySegment.ofBuffer(buffer.flip());
            if (key.attachment() instanceof Integer number) {
                datagram(number, sender, message);
            } else if (ControlMessage.isValid(message)) {
                control(message, (InetSocketAddress) sender);
                control.send(message.asByteBuffer(), sender);
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "a message of a umad2sim client was lost", e);
        }
    }

    private void datagram(int number, SocketAddress sender, MemorySegment message) {
        Attachment from = attachments.get(number);
        if (from != null && from.peer().equals(sender) && message.byteSize() == DatagramMessage.BYTES) {
            fabric.exclusively(() -> clients.datagram(from.client(), message));
        }
    }

    /** Makes the answer of the request. */
    private void control(MemorySegment message, InetSocketAddress sender) throws IOException {
        int type = ControlMessage.type(message);
        boolean isGood;
        if (type == ControlMessage.CONNECT) {
            isGood = connect(message, sender);
        } else {
            Attachment from = attachments.get(ControlMessage.client(message));
            isGood = from != null && control(message, from, type);
        }
        if (!isGood) {
            ControlMessage.type(message, ControlMessage.ERROR);
        }
    }

    private boolean control(MemorySegment message, Attachment from, int type) throws IOException {
        if (type == ControlMessage.DISCONNECT) {
            disconnect(from);
            return true;
        }
        Umad2SimClient client = from.client();
        if (type == ControlMessage.SET_IS_SM) {
            fabric.exclusively(() -> clients.manager(client, ControlMessage.word(message, 0) != 0));
            return true;
        }
        return fabric.exclusively(() -> new ControlAnswers(client.node).answer(message));
    }

    private boolean connect(MemorySegment message, InetSocketAddress sender) throws IOException {
        NodeAgents node = clients.node(ControlMessage.name(message));
        int dataPort = ControlMessage.word(message, 0);
        if (node == null || dataPort < 1 || dataPort > MAX_PORT) {
            return false;
        }
        InetSocketAddress peer = new InetSocketAddress(sender.getAddress(), dataPort);
        for (Attachment former : List.copyOf(attachments.values())) {
            if (former.peer().equals(peer)) {
                disconnect(former);
            }
        }
        makeRoom();
        boolean isResponder = ControlMessage.word(message, 2) != 0;
        for (int number = 0; number < MAX_CLIENTS && port() + 1 + number <= MAX_PORT; number++) {
            DatagramChannel channel = attachments.containsKey(number) ? null : bind(port() + 1 + number);
            if (channel != null) {
                Umad2SimClient client =
                        new Umad2SimClient(number, node, isResponder, datagram -> send(channel, peer, datagram));
                channel.configureBlocking(false).register(selector, SelectionKey.OP_READ, number);
                attachments.put(number, new Attachment(client, channel, peer));
                fabric.exclusively(() -> clients.attach(client));
                ControlMessage.word(message, 0, number);
                ControlMessage.name(message, node.name());
                return true;
            }
        }
        return false;
    }

    /** A program that was killed does not disconnect: the eldest client that is no manager makes room. */
    private void makeRoom() throws IOException {
        if (attachments.size() == MAX_CLIENTS) {
            for (Attachment eldest : List.copyOf(attachments.values())) {
                if (!eldest.client().isManager()) {
                    disconnect(eldest);
                    return;
                }
            }
        }
    }

    /** Returns null if another program has the port. */
    private @Nullable DatagramChannel bind(int port) throws IOException {
        DatagramChannel channel = DatagramChannel.open();
        try {
            return channel.bind(new InetSocketAddress(address.getAddress(), port));
        } catch (BindException _) {
            channel.close();
            return null;
        }
    }

    /** Any thread: the owner of the loop sends. */
    private static void send(DatagramChannel channel, SocketAddress peer, MemorySegment message) {
        try {
            channel.send(message.asByteBuffer(), peer);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "a umad2sim client cannot be reached", e);
        }
    }

    private void disconnect(Attachment from) throws IOException {
        attachments.remove(from.client().number);
        fabric.exclusively(() -> clients.detach(from.client()));
        from.channel().close();
    }

    /** Ends the server; its clients get no more answers. */
    @Override
    public void close() {
        try {
            selector.close();
            thread.join();
            fabric.exclusively(clients::close);
            for (Attachment attachment : attachments.values()) {
                attachment.channel().close();
            }
            control.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}

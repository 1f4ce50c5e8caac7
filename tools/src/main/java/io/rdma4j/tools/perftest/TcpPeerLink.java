// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import io.rdma4j.tools.peer.ToolFailure;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** An exchange over a TCP connection. */
final class TcpPeerLink implements PeerLink {
    private static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);

    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;
    private final boolean client;

    /** @param socket closed with this link; has a read timeout */
    TcpPeerLink(Socket socket, boolean client) throws IOException {
        this.socket = socket;
        this.in = new DataInputStream(socket.getInputStream());
        this.out = socket.getOutputStream();
        this.client = client;
    }

    @Override
    public byte[] swap(byte[] mine) throws IOException, ToolFailure {
        byte[] theirs = new byte[mine.length];
        try {
            if (client) {
                out.write(mine);
                in.readFully(theirs);
            } else {
                in.readFully(theirs);
                out.write(mine);
            }
        } catch (EOFException e) {
            throw new ToolFailure(
                    "The peer ended the exchange: see what it says, and whether it runs the same test", e);
        }
        return theirs;
    }

    @Override
    public boolean isBinary() {
        return false;
    }

    @Override
    public void waitWithoutLimit() throws IOException {
        socket.setSoTimeout(0);
    }

    @Override
    public void done() throws IOException {
        out.write(DONE);
    }

    @Override
    public InetAddress localAddress() {
        return socket.getLocalAddress();
    }

    @Override
    public InetAddress peerAddress() {
        return socket.getInetAddress();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import io.rdma4j.base.Mtu;
import io.rdma4j.tools.peer.LoopbackCheck;
import io.rdma4j.tools.peer.ToolFailure;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Messages that the two ends of a test exchange over TCP, in the format of perftest before 6.28. Newer versions
 * exchange a C struct with each other, but use the old format with an older peer. In each step the client sends first.
 */
final class PerfExchange implements AutoCloseable {
    /** The version that this end reports: the last versions without the C struct begin with 6.2. */
    static final String VERSION = "6.20";

    private static final int VERSION_BYTES = 16;
    private static final double OLDEST = 5.70;
    private static final int MTU_BYTES = 2;
    private static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);

    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;
    private final boolean client;

    /** @param socket closed with this exchange; has a read timeout until the versions are exchanged */
    PerfExchange(Socket socket, boolean client) throws IOException {
        this.socket = socket;
        this.in = new DataInputStream(socket.getInputStream());
        this.out = socket.getOutputStream();
        this.client = client;
    }

    /**
     * Exchanges the versions and removes the read timeout, since a test may take long.
     *
     * @return the peer's version
     */
    String versions() throws IOException, ToolFailure {
        byte[] mine = Arrays.copyOf(VERSION.getBytes(StandardCharsets.US_ASCII), VERSION_BYTES);
        String text = new String(swap(mine), StandardCharsets.US_ASCII);
        int end = text.indexOf(0);
        String version = end < 0 ? text : text.substring(0, end);
        double number;
        try {
            number = Double.parseDouble(version);
        } catch (NumberFormatException _) {
            throw new ToolFailure("The peer is not a performance test: it sends \"" + version.strip() + "\"");
        }
        if (number < OLDEST) {
            throw new ToolFailure("Current implementation is not compatible with versions older than 5.70");
        }
        socket.setSoTimeout(0);
        return version;
    }

    /** Exchanges a number of 32 bits. */
    int number(int mine) throws IOException, ToolFailure {
        return ByteBuffer.wrap(
                        swap(ByteBuffer.allocate(Integer.BYTES).putInt(mine).array()))
                .getInt();
    }

    /** Exchanges the path MTU; returns the smaller one. */
    Mtu mtu(Mtu mine) throws IOException, ToolFailure {
        byte[] digits = Arrays.copyOf(Integer.toString(mine.code()).getBytes(StandardCharsets.US_ASCII), MTU_BYTES);
        int code = swap(digits)[0] - '0';
        boolean known = code >= Mtu.MTU_256.code() && code <= Mtu.MTU_4096.code();
        return known && code < mine.code() ? Mtu.ofCode(code) : mine;
    }

    /** Exchanges the addresses of the queue pairs one by one. */
    List<PerfAddress> addresses(List<PerfAddress> mine) throws IOException, ToolFailure {
        List<PerfAddress> theirs = new ArrayList<>();
        for (PerfAddress address : mine) {
            theirs.add(address(address));
        }
        return theirs;
    }

    /** @throws ToolFailure if one end has a loopback address and the other end is another machine */
    void checkReach(PerfAddress mine, PerfAddress theirs) throws ToolFailure {
        LoopbackCheck.check(socket, mine.gid(), theirs.gid());
    }

    private PerfAddress address(PerfAddress mine) throws IOException, ToolFailure {
        byte[] message = swap(mine.encode());
        Optional<PerfAddress> theirs = PerfAddress.decode(message);
        return theirs.orElseThrow(() -> new ToolFailure("Couldn't parse line <"
                + new String(message, StandardCharsets.ISO_8859_1).strip() + ">: do both ends run the same test?"));
    }

    /**
     * Waits until both ends have reached this point. perftest exchanges the address of the first queue pair again.
     *
     * @param theirs address of the peer's first queue pair
     */
    void barrier(PerfAddress mine, PerfAddress theirs) throws IOException, ToolFailure {
        if (!address(mine).equals(theirs)) {
            throw new ToolFailure(
                    "The peer is at another point of the test: do both ends have the same number of QPs (-q),"
                            + " and the same options?");
        }
    }

    /** Exchanges the result of a bandwidth test. */
    BandwidthResult results(BandwidthResult mine) throws IOException, ToolFailure {
        long size = swapLong(mine.sizeBytes());
        long messages = swapLong(mine.messages());
        double peak = swapDouble(mine.peak());
        double average = swapDouble(mine.average());
        double rate = swapDouble(mine.messageRate());
        return new BandwidthResult((int) size, messages, peak, average, rate);
    }

    private long swapLong(long mine) throws IOException, ToolFailure {
        return ByteBuffer.wrap(
                        swap(ByteBuffer.allocate(Long.BYTES).putLong(mine).array()))
                .getLong();
    }

    private double swapDouble(double mine) throws IOException, ToolFailure {
        return Double.longBitsToDouble(swapLong(Double.doubleToRawLongBits(mine)));
    }

    /** Ends the exchange. */
    void done() throws IOException {
        out.write(DONE);
    }

    /** Exchanges messages of equal length; the client sends first. */
    private byte[] swap(byte[] mine) throws IOException, ToolFailure {
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
    public void close() throws IOException {
        socket.close();
    }
}

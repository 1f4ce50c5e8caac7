// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import io.rdma4j.base.Mtu;
import io.rdma4j.tools.peer.LoopbackCheck;
import io.rdma4j.tools.peer.ToolFailure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Messages that the two ends of a test exchange over TCP or a connection of rdma_cm, in the format of perftest before
 * 6.28. Newer versions exchange a C struct with each other, but use the old format with an older peer. In each step the
 * client sends first.
 */
final class PerfExchange implements AutoCloseable {
    /** The version that this end reports: the last versions without the C struct begin with 6.2. */
    static final String VERSION = "6.20";

    private static final int VERSION_BYTES = 16;
    private static final double OLDEST = 5.70;
    private static final int MTU_BYTES = 2;

    private final PeerLink link;

    /** @param link closed with this exchange */
    PerfExchange(PeerLink link) {
        this.link = link;
    }

    /**
     * Exchanges the versions and removes the limit of waiting, since a test may take long.
     *
     * @return the peer's version
     */
    String versions() throws IOException, ToolFailure, InterruptedException {
        byte[] mine = Arrays.copyOf(VERSION.getBytes(StandardCharsets.US_ASCII), VERSION_BYTES);
        String text = new String(link.swap(mine), StandardCharsets.US_ASCII);
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
        link.waitWithoutLimit();
        return version;
    }

    /** Exchanges a number of 32 bits. */
    int number(int mine) throws IOException, ToolFailure, InterruptedException {
        return ByteBuffer.wrap(link.swap(
                        ByteBuffer.allocate(Integer.BYTES).putInt(mine).array()))
                .getInt();
    }

    /** Exchanges the path MTU; returns the smaller one. */
    Mtu mtu(Mtu mine) throws IOException, ToolFailure, InterruptedException {
        byte[] digits = Arrays.copyOf(Integer.toString(mine.code()).getBytes(StandardCharsets.US_ASCII), MTU_BYTES);
        int code = link.swap(digits)[0] - '0';
        boolean known = code >= Mtu.MTU_256.code() && code <= Mtu.MTU_4096.code();
        return known && code < mine.code() ? Mtu.ofCode(code) : mine;
    }

    /** Exchanges the addresses of the queue pairs one by one. */
    List<PerfAddress> addresses(List<PerfAddress> mine) throws IOException, ToolFailure, InterruptedException {
        List<PerfAddress> theirs = new ArrayList<>();
        for (PerfAddress address : mine) {
            theirs.add(address(address));
        }
        return theirs;
    }

    /** @throws ToolFailure if one end has a loopback address and the other end is another machine */
    void checkReach(PerfAddress mine, PerfAddress theirs) throws ToolFailure {
        LoopbackCheck.check(link.peerAddress(), mine.gid(), theirs.gid());
    }

    private PerfAddress address(PerfAddress mine) throws IOException, ToolFailure, InterruptedException {
        if (link.isBinary()) {
            return PerfAddress.ofStruct(link.swap(mine.toStruct()));
        }
        byte[] message = link.swap(mine.encode());
        Optional<PerfAddress> theirs = PerfAddress.decode(message);
        return theirs.orElseThrow(() -> new ToolFailure("Couldn't parse line <"
                + new String(message, StandardCharsets.ISO_8859_1).strip() + ">: do both ends run the same test?"));
    }

    /**
     * Waits until both ends have reached this point. perftest exchanges the address of the first queue pair again.
     *
     * @param theirs address of the peer's first queue pair
     */
    void barrier(PerfAddress mine, PerfAddress theirs) throws IOException, ToolFailure, InterruptedException {
        if (!address(mine).equals(theirs)) {
            throw new ToolFailure(
                    "The peer is at another point of the test: do both ends have the same number of QPs (-q),"
                            + " and the same options?");
        }
    }

    /** Waits until both ends have reached this point, before there are addresses. */
    void sync() throws IOException, ToolFailure, InterruptedException {
        PerfAddress _ = address(PerfAddress.NONE);
    }

    /** Exchanges the result of a bandwidth test. */
    BandwidthResult results(BandwidthResult mine) throws IOException, ToolFailure, InterruptedException {
        long size = swapLong(mine.sizeBytes());
        long messages = swapLong(mine.messages());
        double peak = swapDouble(mine.peak());
        double average = swapDouble(mine.average());
        double rate = swapDouble(mine.messageRate());
        return new BandwidthResult((int) size, messages, peak, average, rate);
    }

    private long swapLong(long mine) throws IOException, ToolFailure, InterruptedException {
        return ByteBuffer.wrap(
                        link.swap(ByteBuffer.allocate(Long.BYTES).putLong(mine).array()))
                .getLong();
    }

    private double swapDouble(double mine) throws IOException, ToolFailure, InterruptedException {
        return Double.longBitsToDouble(swapLong(Double.doubleToRawLongBits(mine)));
    }

    /** Ends the exchange. */
    void done() throws IOException {
        link.done();
    }

    @Override
    public void close() throws IOException {
        link.close();
    }
}

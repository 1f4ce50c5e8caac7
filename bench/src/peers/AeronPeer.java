// SPDX-License-Identifier: Apache-2.0
import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.FragmentAssembler;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.agrona.BufferUtil;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Messages over Aeron by UDP or shared memory, between two processes. The polling thread invokes the media driver, as
 * it drives the device in rdma4j: with two CPUs and two polling processes, driver threads would get no CPU time. Over
 * UDP each process has a driver; with shared memory the server's driver serves both.
 */
final class AeronPeer {
    private static final int STREAM = 7;
    private static final int TERM_BYTES = 16 << 20;
    private static final int MTU = 8192;
    private static final int FRAGMENTS = 64;

    private final boolean server;
    private final boolean shared;
    private final MediaDriver driver;
    private final Aeron aeron;
    private final ExclusivePublication out;
    private final Subscription in;
    private final UnsafeBuffer message;
    private long received;

    private AeronPeer(boolean server, boolean shared, int port, int bytes) {
        this.server = server;
        this.shared = shared;
        this.message = new UnsafeBuffer(BufferUtil.allocateDirectAligned(bytes, 64));
        String base = Path.of(System.getProperty("java.io.tmpdir"), "rdma4j-bench-aeron-" + port)
                .toString();
        String directory = shared || server ? base : base + "-client";
        driver = server || !shared ? MediaDriver.launch(driver(directory)) : null;
        Aeron.Context context =
                new Aeron.Context().aeronDirectoryName(directory).idleStrategy(new BusySpinIdleStrategy());
        context.useConductorAgentInvoker(true);
        if (driver != null) {
            context.driverAgentInvoker(driver.sharedAgentInvoker());
        }
        aeron = Aeron.connect(context);
        String there = shared ? "aeron:ipc" : "aeron:udp?endpoint=127.0.0.1:" + port;
        String back = shared ? "aeron:ipc" : "aeron:udp?endpoint=127.0.0.1:" + (port + 1);
        in = aeron.addSubscription(server ? there : back, STREAM + (server ? 0 : 1));
        out = aeron.addExclusivePublication(server ? back : there, STREAM + (server ? 1 : 0));
    }

    private static MediaDriver.Context driver(String directory) {
        return new MediaDriver.Context()
                .aeronDirectoryName(directory)
                .dirDeleteOnStart(true)
                .dirDeleteOnShutdown(true)
                .threadingMode(ThreadingMode.INVOKER)
                .mtuLength(MTU)
                .ipcMtuLength(MTU)
                .publicationTermBufferLength(TERM_BYTES)
                .ipcTermBufferLength(TERM_BYTES)
                .initialWindowLength(1 << 20)
                .socketSndbufLength(1 << 21)
                .socketRcvbufLength(1 << 21)
                .termBufferSparseFile(false);
    }

    /** {@code server|client udp-pingpong|udp-rate|ipc-pingpong|ipc-rate PORT BYTES COUNT}. */
    public static void main(String[] words) throws Exception {
        boolean server = words[0].equals("server");
        String[] mode = words[1].split("-");
        int port = Integer.parseInt(words[2]);
        int bytes = Integer.parseInt(words[3]);
        int count = Integer.parseInt(words[4]);
        AeronPeer peer = new AeronPeer(server, mode[0].equals("ipc"), port, bytes);
        if (server) {
            new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
        }
        if (mode[1].equals("pingpong")) {
            peer.pingPong("aeron_" + mode[0], bytes, count);
        } else {
            peer.rate("aeron_" + mode[0], bytes, count);
        }
        System.exit(0);
    }

    private void work() {
        aeron.conductorAgentInvoker().invoke();
        if (driver != null) {
            driver.sharedAgentInvoker().invoke();
        }
    }

    private void offer() {
        while (out.offer(message) < 0) {
            work();
        }
    }

    private void pingPong(String name, int bytes, int count) {
        FragmentAssembler assembler = new FragmentAssembler((_, _, _, _) -> received++);
        if (server) {
            long answered = 0;
            while (true) {
                work();
                in.poll(assembler, 1);
                while (answered < received) {
                    offer();
                    answered++;
                }
            }
        }
        Times times = new Times(count);
        for (int i = times.first(); i < count; i++) {
            long start = System.nanoTime();
            long before = received;
            offer();
            while (received == before) {
                work();
                in.poll(assembler, 1);
            }
            times.add(i, System.nanoTime() - start);
        }
        times.print(name, bytes);
    }

    /** Measures a rate; the server replies after it has received all messages. */
    private void rate(String name, int bytes, int count) {
        FragmentAssembler assembler = new FragmentAssembler((_, _, _, _) -> received++);
        int warm = count / 5;
        if (server) {
            while (true) {
                answer(assembler, warm);
                answer(assembler, count);
            }
        }
        send(assembler, warm);
        long start = System.nanoTime();
        send(assembler, count);
        Times.printRate(name, bytes, count, System.nanoTime() - start);
    }

    private void answer(FragmentAssembler assembler, long messages) {
        long end = received + messages;
        while (received < end) {
            work();
            in.poll(assembler, FRAGMENTS);
        }
        offer();
    }

    private void send(FragmentAssembler assembler, int messages) {
        long before = received;
        for (int i = 0; i < messages; i++) {
            offer();
            if (!shared && i % FRAGMENTS == 0) {
                work();
            }
        }
        while (received == before) {
            work();
            in.poll(assembler, 1);
        }
    }
}

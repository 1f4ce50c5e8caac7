package io.rdma4j.tools.pingpong;

import io.rdma4j.rxe.DeviceSpec;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxeProvider;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.Host;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A ping-pong with itself before the one with the peer: two devices of its own on the loopback interface, in one thread. A JVM that
 * has just started has loaded and compiled nothing, and would do so while time is taken; the original is compiled when it starts.
 *
 * <p>The launcher asks for it by a system property, so that what is measured is what runs from then on. Without it a ping-pong of a
 * thousand messages mostly tells how long a JVM needs to start.
 */
final class Rehearsal {
    /** A system property: {@code true} if tools are to rehearse. */
    private static final String WANTED = "rdma4j.rehearse";

    /** After so many the simple compiler is through; more of them make no difference that could be measured. */
    private static final int MAX_MESSAGES = 10_000;

    /** Long messages need fewer: it is their packets that count. */
    private static final long MAX_BYTES = 64 << 20;

    /** The simple compiler takes what has been called two thousand times; in the first thousand looks in vain sockets are hardly looked at. */
    private static final int LOOKS_IN_VAIN = 8_000;

    /** On a slow machine it ends before it has played them all: people wait for it. */
    private static final long MAX_NS = TimeUnit.SECONDS.toNanos(1);

    /** Next to that of RoCE, so that it is in nobody's way. */
    private static final int UDP_PORT = RxeOptions.ROCE_V2_PORT + 1;

    private final PingPongProgram program;
    private final PingPongOptions options;
    private final long stallNs;

    /** @param options of what is to be rehearsed */
    Rehearsal(PingPongProgram program, PingPongOptions options, long stallNs) {
        int messages = Math.clamp(MAX_BYTES / Math.max(1, options.sizeBytes()), 1, MAX_MESSAGES);
        this.program = program;
        this.options = options.rehearsing(messages);
        this.stallNs = stallNs;
    }

    static boolean isWanted() {
        return Boolean.getBoolean(WANTED);
    }

    void run() throws ToolFailure, InterruptedException {
        Host host = Host.create("rehearsal");
        List<DeviceSpec> specs =
                List.of(new DeviceSpec("ping", List.of(), UDP_PORT), new DeviceSpec("pong", List.of(), UDP_PORT));
        host.register(new RxeProvider(specs, RxeOptions.DEFAULT));
        try (PingPongContext ping = PingPongContext.open(host.device("ping"), program, options);
                PingPongContext pong = PingPongContext.open(host.device("pong"), program, options)) {
            play(ping, pong);
        }
    }

    private void play(PingPongContext ping, PingPongContext pong) throws ToolFailure, InterruptedException {
        PingPongLoop here = new PingPongLoop(ping, program, options, stallNs);
        PingPongLoop there = new PingPongLoop(pong, program, options, stallNs);
        here.prepare();
        there.prepare();
        ping.connect(pong.localAddresses());
        pong.connect(ping.localAddresses());
        there.begin(false);
        here.begin(true);
        long startNs = System.nanoTime();
        while (!(here.isOver() && there.isOver()) && System.nanoTime() - startNs < MAX_NS) {
            here.play(1);
            there.play(1);
        }
        awaitNothing(here, there);
    }

    /** Of real time most is waiting, by code that is hardly needed while one thread plays both ends. */
    private static void awaitNothing(PingPongLoop here, PingPongLoop there) throws ToolFailure, InterruptedException {
        for (int i = 0; i < LOOKS_IN_VAIN; i++) {
            here.exchange();
            there.exchange();
        }
    }
}

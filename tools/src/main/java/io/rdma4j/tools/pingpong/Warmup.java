// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import io.rdma4j.rxe.DeviceSpec;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxeProvider;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.device.LinkLayer;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs a ping-pong between two local devices of the same link layer, in one thread, before the ping-pong with the
 * peer. A JVM that has just started would load and compile its classes during the measurement, while the original is
 * compiled in advance.
 *
 * <p>The launcher requests it by a system property. Without it a ping-pong of a thousand messages mostly measures the
 * start of the JVM.
 */
final class Warmup {
    /** System property: {@code true} if tools run a warm-up. */
    private static final String WANTED = "rdma4j.warmup";

    /** After so many messages the C1 compiler has compiled the code; more have no measurable effect. */
    private static final int MAX_MESSAGES = 10_000;

    /** Limit for long messages, whose number of packets determines the effect. */
    private static final long MAX_BYTES = 64 << 20;

    /**
     * Number of empty polls. C1 compiles a method after 2000 calls, and about one in twenty empty polls reads the
     * sockets.
     */
    private static final int LOOKS_IN_VAIN = 40_000;

    /** Limits the warm-up on slow machines, because the user waits for it. */
    private static final long MAX_NS = TimeUnit.SECONDS.toNanos(1);

    /** The port after that of RoCE, to avoid conflicts. */
    private static final int UDP_PORT = RxeOptions.ROCE_V2_PORT + 1;

    private final LinkLayer layer;
    private final PingPongProgram program;
    private final PingPongOptions options;
    private final long stallNs;

    /**
     * @param layer of the device of the following ping-pong
     * @param options of that ping-pong
     */
    Warmup(LinkLayer layer, PingPongProgram program, PingPongOptions options, long stallNs) {
        this.layer = layer;
        int messages = Math.clamp(MAX_BYTES / Math.max(1, options.sizeBytes()), 1, MAX_MESSAGES);
        this.program = program;
        this.options = options.warmingUp(messages);
        this.stallNs = stallNs;
    }

    static boolean isWanted() {
        return Boolean.getBoolean(WANTED);
    }

    void run() throws ToolFailure, InterruptedException {
        if (layer == LinkLayer.INFINIBAND) {
            try (WarmupSubnet subnet = new WarmupSubnet()) {
                play(subnet.host());
            }
            return;
        }
        Host host = Host.create("warmup");
        List<DeviceSpec> specs =
                List.of(new DeviceSpec("ping", List.of(), UDP_PORT), new DeviceSpec("pong", List.of(), UDP_PORT));
        host.register(new RxeProvider(specs, RxeOptions.DEFAULT));
        play(host);
    }

    private void play(Host host) throws ToolFailure, InterruptedException {
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

    /**
     * Polls without messages: a real ping-pong mostly waits, but the warm-up of both ends in one thread hardly runs
     * this code.
     */
    private static void awaitNothing(PingPongLoop here, PingPongLoop there) throws ToolFailure, InterruptedException {
        for (int i = 0; i < LOOKS_IN_VAIN; i++) {
            here.exchange();
            there.exchange();
        }
    }
}

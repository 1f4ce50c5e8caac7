// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import io.rdma4j.base.Mtu;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.values.QpType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs the steps of a test. Both ends execute the same steps and wait for each other in perftest's order; with another
 * order perftest would wait without end.
 */
final class PerfSession {
    /** Base of the stall limit; the time that a slow path needs for the messages of one completion is added. */
    private static final long STALL_NS = TimeUnit.SECONDS.toNanos(10);

    private static final long SLOW_BYTES_PER_SECOND = 16 << 20;

    private final PerfTest test;
    private final PerfOptions options;
    private final PerfExchange exchange;
    private final PerfContext context;
    private final @Nullable CmQueuePairs connector;
    private final PerfPrinter printer;

    private final List<LatencyResult> latencies = new ArrayList<>();
    private final List<BandwidthResult> bandwidths = new ArrayList<>();
    private @Nullable CpuUtilization cpuBefore;
    private List<PerfAddress> local = List.of();
    private List<PerfAddress> remote = List.of();
    private @Nullable Mtu agreedMtu;

    /**
     * Creates a session with the peer of {@code exchange}.
     *
     * @param connector connects the queue pairs by rdma_cm; null for others
     */
    PerfSession(
            PerfTest test,
            PerfOptions options,
            PerfExchange exchange,
            PerfContext context,
            @Nullable CmQueuePairs connector,
            PerfPrinter printer) {
        this.test = test;
        this.options = options;
        this.exchange = exchange;
        this.context = context;
        this.connector = connector;
        this.printer = printer;
    }

    /** Runs the test. */
    void run(String device) throws IOException, ToolFailure, InterruptedException {
        exchange.versions();
        int page = Math.max(PerfContext.PAGE_BYTES, exchange.number(PerfContext.PAGE_BYTES));
        int line = Math.max(PerfContext.LINE_BYTES, exchange.number(PerfContext.LINE_BYTES));
        Mtu mtu = exchange.mtu(context.mtu());
        agreedMtu = mtu;
        List<Integer> sizes = sizes(mtu);
        create(PerfContext.place(sizes.getLast(), page, options.connection().service()));
        DataValidation validation = new DataValidation(context.queuePairs());
        if (options.validate() && fillsSource()) {
            validation.fill(); // before the peer may read
        }
        printer.parameters(device, mtu, context.gidIndex(), context.outstandingReads());
        meet(mtu);
        boolean oneSided = test.isReceiverIdle(options.load());
        boolean idle = oneSided && !options.isSender();
        if (!idle || !test.isLatency()) {
            printer.columns();
        }
        if (!idle) {
            measure(sizes, page, line);
        }
        if (idle && options.infinite()) {
            awaitEndOfClient();
            return;
        }
        if (oneSided && !test.isLatency()) {
            barrier();
            BandwidthResult told = exchange.results(idle ? BandwidthResult.NONE : bandwidths.getLast());
            if (idle) {
                show(told);
            }
        }
        if (options.validate() && !fillsSource()) {
            MessageSlots ring = MessageSlots.of(options.load().sizeBytes(), page, line);
            long messages = options.isTimed() ? ring.places() : options.load().iterations();
            printer.validated(validation.check(options.load().sizeBytes(), ring, messages));
        }
        printer.rule();
        if (test.verb() != Verb.WRITE || !test.isLatency()) {
            barrier();
            exchange.done();
        }
    }

    /** Creates the queue pairs; rdma_cm connects them, if the user wants that, between two exchanges. */
    private void create(long place) throws IOException, ToolFailure, InterruptedException {
        if (connector != null) {
            exchange.sync();
        }
        context.create(test, place, connector);
        if (connector != null) {
            exchange.sync();
        }
    }

    /** True if this end provides the data: it sends, or the peer reads from it. */
    private boolean fillsSource() {
        return options.isSender() != (test.verb() == Verb.READ);
    }

    /** Waits for the end of the connection, which ends a test without end. */
    private void awaitEndOfClient() throws InterruptedException {
        try {
            barrier();
        } catch (IOException | ToolFailure _) {
            printer.clientClosed();
        }
    }

    private List<Integer> sizes(Mtu mtu) throws ToolFailure {
        if (options.connection().service() != QpType.UD) {
            return options.load().sizes(Integer.MAX_VALUE);
        }
        if (!options.load().allSizes() && options.load().sizeBytes() > mtu.bytes()) {
            throw new ToolFailure(" Max message size in UD cannot be greater than MTU, which is " + mtu.bytes());
        }
        return options.load().sizes(mtu.bytes());
    }

    /** Exchanges the addresses, connects, and exchanges them again. */
    private void meet(Mtu mtu) throws IOException, ToolFailure, InterruptedException {
        local = context.localAddresses(test.isLatency() || !options.isSender());
        if (test.isLatency() && test.verb() != Verb.SEND) {
            exchange.addresses(local.subList(0, 1));
        }
        remote = exchange.addresses(local);
        exchange.checkReach(local.getFirst(), remote.getFirst());
        if (local.getFirst().gid().isIpv4() != remote.getFirst().gid().isIpv4()) {
            throw new ToolFailure(
                    " Found Incompatibility issue with GID types.\n Please Try to use a different IP version (-x).");
        }
        if (connector == null) {
            context.connect(local, remote, mtu);
        } else {
            context.meet(remote);
        }
        if (test.verb() == Verb.SEND) {
            barrier();
        }
        local.forEach(address -> printer.address("local", address));
        if (!exchange.addresses(local).equals(remote)) {
            throw new ToolFailure(
                    "The peer does not repeat its addresses: do both ends have the same number of QPs (-q)?");
        }
        remote.forEach(address -> printer.address("remote", address));
        if (test.verb() != Verb.SEND) {
            barrier();
        }
    }

    private void barrier() throws IOException, ToolFailure, InterruptedException {
        exchange.barrier(local.getFirst(), remote.getFirst());
    }

    private void measure(List<Integer> sizes, int page, int line)
            throws IOException, ToolFailure, InterruptedException {
        if (test.isLatency()) {
            LatencyRunner runner = new LatencyRunner(context, test, options, stallNs(sizes.getLast()));
            for (int size : sizes) {
                runner.prepare(size);
                if (options.load().consumesReceives()) {
                    barrier();
                }
                startCpuUtilization();
                LatencyResult result = runner.run(size);
                latencies.add(result);
                printer.row(result, cpuPercent());
            }
        } else {
            BandwidthRunner runner = new BandwidthRunner(context, options, page, line, stallNs(sizes.getLast()));
            for (int size : sizes) {
                measure(runner, size);
            }
        }
    }

    private void measure(BandwidthRunner runner, int size) throws IOException, ToolFailure, InterruptedException {
        boolean both = options.load().bidirectional();
        boolean received = options.load().consumesReceives();
        if (options.warmUp() && !received) {
            runner.prepare(size);
            runner.warmUp();
        }
        runner.prepare(size);
        if (received || both) {
            barrier();
        }
        startCpuUtilization();
        BandwidthResult local = runner.run(size, this::show);
        if (both && !received && options.load().allSizes()) {
            barrier();
        }
        if (both && !(received && options.isTimed())) {
            BandwidthResult peers = exchange.results(local);
            show(local.plus(peers));
            if (options.reporting().both()) {
                printer.both(local, peers);
            }
        } else {
            show(local);
        }
        if (received && options.load().allSizes()) {
            barrier();
        }
    }

    private void show(BandwidthResult result) {
        bandwidths.add(result);
        printer.row(result, cpuPercent());
    }

    private void startCpuUtilization() throws ToolFailure {
        cpuBefore = options.reporting().cpuUtilization() ? CpuUtilization.now() : null;
    }

    /** CPU utilisation of the last measurement; NaN without {@code --cpu_util}, and at an idle server. */
    private double cpuPercent() {
        if (cpuBefore == null) {
            return Double.NaN;
        }
        try {
            return CpuUtilization.now().percentSince(cpuBefore);
        } catch (ToolFailure _) {
            return Double.NaN;
        }
    }

    private long stallNs(int size) {
        long bytes = (long) size
                * Math.max(options.load().cqModeration(), options.load().postList())
                * options.load().queuePairs();
        return STALL_NS + TimeUnit.SECONDS.toNanos(bytes / SLOW_BYTES_PER_SECOND);
    }

    List<LatencyResult> latencies() {
        return latencies;
    }

    List<BandwidthResult> bandwidths() {
        return bandwidths;
    }

    /** {@return the agreed path MTU; available after {@link #run}} */
    Mtu mtu() {
        return Objects.requireNonNull(agreedMtu, "before the exchange");
    }

    List<PerfAddress> local() {
        return local;
    }

    List<PerfAddress> remote() {
        return remote;
    }
}

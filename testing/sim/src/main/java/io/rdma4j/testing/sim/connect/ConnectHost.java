// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.connect;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Gid;
import io.rdma4j.rdmacm.ConnectParameters;
import io.rdma4j.rdmacm.ConnectionEvent;
import io.rdma4j.rdmacm.EventChannel;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.rdmacm.RdmaCmOptions;
import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.rdmacm.host.RdmaCmService;
import io.rdma4j.testing.sim.connect.ConnectAttempt.Decision;
import io.rdma4j.testing.sim.connect.ConnectAttempt.End;
import io.rdma4j.testing.sim.world.Activity;
import io.rdma4j.testing.sim.world.RunReport;
import io.rdma4j.testing.sim.world.SimHost;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A host whose program listens, decides about requests, connects to other hosts, and sometimes crashes and returns. It
 * drives rdma_cm of the host.
 */
final class ConnectHost implements Activity {
    static final int PORT = 7471;
    private static final int BACKLOG = 100;
    private static final long MAX_PAUSE_NS = 20_000_000_000L;
    private static final long MAX_THOUGHT_NS = 8_000_000_000L;
    private static final int TIMEOUT_MS = 2000;

    /** Longer than all repetitions of a message. */
    private static final long SILENCE_NS = 300_000_000_000L;

    /** What hosts know of each other. */
    interface Others {
        /** Any other host. */
        ConnectHost any(ConnectHost but, SplittableRandom random);

        ConnectAttempt add(ConnectHost client, ConnectHost server);

        ConnectAttempt attempt(int number);

        /** Nothing comes to or from a host. */
        void cut(ConnectHost host, boolean isCut);
    }

    private final SimHost host;
    private final Others others;
    private final SplittableRandom random;
    private final RunReport report;
    private final Map<RdmaId, ConnectEnd> ends = new LinkedHashMap<>();
    private int toConnect;
    private int crashes;
    private long nextConnectNs;
    private long nextCrashNs;
    private int steps;
    private long received;
    private long cmDeadlineNs = Deadline.NEVER;
    private RdmaCmService service;
    private EventChannel channel;
    private RdmaId listener;

    /** @param attempts number of connections that the host requests */
    ConnectHost(SimHost host, int attempts, int crashes, Others others, SplittableRandom random, RunReport report) {
        this.host = host;
        this.others = others;
        this.random = random;
        this.report = report;
        this.toConnect = attempts;
        this.crashes = crashes;
        this.nextConnectNs = host.nowNs() + random.nextLong(MAX_PAUSE_NS);
        this.nextCrashNs = crashes == 0 ? Deadline.NEVER : host.nowNs() + random.nextLong(4 * MAX_PAUSE_NS);
        this.service = start();
        this.channel = service.cm().createChannel();
        this.listener = listen();
    }

    private RdmaCmService start() {
        return RdmaCmService.openDrivenByCaller(host.host(), RdmaCmOptions.of(random.nextLong()), host::nowNs);
    }

    private RdmaId listen() {
        RdmaId id = service.cm().createId(channel, PortSpace.TCP);
        id.bindAddress(address(PORT));
        id.listen(BACKLOG);
        return id;
    }

    private InetSocketAddress address(int port) {
        Gid gid = host.gid();
        return new InetSocketAddress(gid.toInetAddress(), port);
    }

    SimHost host() {
        return host;
    }

    @Override
    public List<SimHost> hosts() {
        return List.of(host);
    }

    @Override
    public boolean act(long nowNs) {
        boolean acted = driveManager(nowNs);
        for (ConnectionEvent event = channel.poll(); event != null; event = channel.poll()) {
            event.acknowledge();
            handle(event, nowNs);
            acted = true;
        }
        for (ConnectEnd end : List.copyOf(ends.values())) {
            acted |= act(end, nowNs);
        }
        if (toConnect > 0 && Deadline.isDue(nextConnectNs, nowNs)) {
            connect(nowNs);
            acted = true;
        }
        if (Deadline.isDue(nextCrashNs, nowNs)) {
            crash(nowNs);
            acted = true;
        }
        steps += acted ? 1 : 0;
        return acted;
    }

    /** Returns true if the manager may have sent something. */
    private boolean driveManager(long nowNs) {
        long now = host.port().counters().receivedPackets;
        boolean acted = now != received || Deadline.isDue(cmDeadlineNs, nowNs);
        received = now;
        cmDeadlineNs = service.progress(nowNs);
        return acted;
    }

    private void connect(long nowNs) {
        toConnect--;
        nextConnectNs = nowNs + random.nextLong(MAX_PAUSE_NS);
        ConnectHost server = others.any(this, random);
        ConnectAttempt attempt = others.add(this, server);
        RdmaId id = service.cm().createId(channel, PortSpace.TCP);
        boolean givesUp = random.nextInt(12) == 0;
        ends.put(
                id,
                new ConnectEnd(id, attempt, true, givesUp ? nowNs + random.nextLong(MAX_PAUSE_NS) : Deadline.NEVER));
        id.resolveAddress(address(0), server.address(PORT), TIMEOUT_MS);
    }

    private void handle(ConnectionEvent event, long nowNs) {
        ConnectEnd end = ends.get(event.id());
        switch (event.type()) {
            case ADDR_RESOLVED -> event.id().resolveRoute(TIMEOUT_MS);
            case ROUTE_RESOLVED -> request(known(end));
            case CONNECT_REQUEST -> requested(event, nowNs);
            case ESTABLISHED -> established(known(end), event);
            case REJECTED -> {
                if (known(end).isClient()) {
                    known(end).attempt().rejected(event.status(), word(event.privateData()));
                }
                finish(known(end), End.REJECTED);
            }
            case ADDR_ERROR, UNREACHABLE, CONNECT_ERROR -> finish(known(end), End.UNREACHABLE);
            case DISCONNECTED -> {
                event.id().disconnect();
                finish(known(end), End.DISCONNECTED);
            }
            case TIMEWAIT_EXIT -> {}
            default -> report.violation(host.index() + ": unexpected " + event);
        }
    }

    private static ConnectEnd known(@Nullable ConnectEnd end) {
        return Objects.requireNonNull(end, "an id of this host");
    }

    private static int word(MemorySegment data) {
        return data.byteSize() < Integer.BYTES ? 0 : data.get(ValueLayout.JAVA_INT_UNALIGNED, 0);
    }

    private static MemorySegment data(int word) {
        return MemorySegment.ofArray(new int[] {word});
    }

    private static void request(ConnectEnd end) {
        end.createQp();
        end.id()
                .connect(ConnectParameters.DEFAULT.withPrivateData(
                        data(end.attempt().number())));
    }

    /** The program decides now, or after some time. */
    private void requested(ConnectionEvent event, long nowNs) {
        ConnectAttempt attempt = others.attempt(word(event.privateData()));
        long decidesNs = random.nextInt(4) == 0 ? nowNs + random.nextLong(MAX_THOUGHT_NS) : nowNs;
        ends.put(event.id(), new ConnectEnd(event.id(), attempt, false, decidesNs));
    }

    private void decide(ConnectEnd end) {
        ConnectAttempt attempt = end.attempt();
        switch (random.nextInt(8)) {
            case 0 -> {
                attempt.decide(Decision.REJECT);
                end.id().reject(data(attempt.word()));
                close(end);
            }
            case 1 -> {
                attempt.decide(Decision.CLOSE);
                close(end);
            }
            default -> {
                attempt.decide(Decision.ACCEPT);
                end.createQp();
                end.id().accept(ConnectParameters.DEFAULT.withPrivateData(data(attempt.word())));
            }
        }
    }

    private static void established(ConnectEnd end, ConnectionEvent event) {
        end.establish();
        if (end.isClient()) {
            end.attempt().established(word(event.privateData()));
            end.send(end.attempt().word());
        }
    }

    private boolean act(ConnectEnd end, long nowNs) {
        boolean acted = false;
        Integer word = end.isClosed() ? null : end.poll();
        if (word != null) {
            arrived(end, word);
            acted = true;
        }
        // The word of the client may come before its RTU; as long as that lasts a disconnect has no effect.
        boolean answered =
                !end.isClient() && end.isEstablished() && end.attempt().serverDisconnects() && end.hasSent();
        if (end.hasFailed() || answered) {
            end.id().disconnect();
            acted = true;
        }
        if (!end.isClosed() && Deadline.isDue(end.actsAtNs, nowNs)) {
            end.actsAtNs = Deadline.NEVER;
            actInTime(end, nowNs);
            acted = true;
        }
        return acted;
    }

    /** The server answers. Then one of them disconnects, see {@link ConnectAttempt#serverDisconnects}. */
    private static void arrived(ConnectEnd end, int word) {
        ConnectAttempt attempt = end.attempt();
        if (word != attempt.word()) {
            attempt.violation("0x%08x came, not 0x%08x".formatted(word, attempt.word()));
        }
        if (!end.isClient()) {
            attempt.served();
            end.send(attempt.word());
        } else if (!attempt.serverDisconnects()) {
            end.id().disconnect();
        }
    }

    private void actInTime(ConnectEnd end, long nowNs) {
        if (!end.isClient() && !end.isDecided()) {
            end.decide();
            decide(end);
            end.actsAtNs = end.attempt().hasCrashed() ? nowNs + SILENCE_NS : Deadline.NEVER;
        } else if (!end.isEstablished()) {
            finish(end, End.GIVEN_UP);
        } else if (end.attempt().hasCrashed()) {
            end.id().disconnect();
        }
    }

    /** A connection whose peer says nothing any more has no end: a program gives it a time limit. */
    void limit(ConnectAttempt attempt, long nowNs) {
        for (ConnectEnd end : ends.values()) {
            if (end.attempt() == attempt) {
                end.actsAtNs = Deadline.earlier(end.actsAtNs, nowNs + SILENCE_NS);
            }
        }
    }

    /** Ends an attempt for its client, and closes the end. */
    private void finish(ConnectEnd end, End how) {
        if (how == End.GIVEN_UP) {
            // The server may get a request, an acceptance that fails, or nothing.
            end.attempt().crash();
        }
        if (end.isClient()) {
            end.attempt().end(how);
        }
        close(end);
    }

    private void close(ConnectEnd end) {
        end.close();
        ends.remove(end.id());
    }

    /** The host stops without a word to its peers, and comes back with a new manager. */
    private void crash(long nowNs) {
        crashes--;
        nextCrashNs = crashes == 0 ? Deadline.NEVER : nowNs + random.nextLong(4 * MAX_PAUSE_NS);
        others.cut(this, true);
        stop();
        host.port().progress(nowNs);
        others.cut(this, false);
        service = start();
        channel = service.cm().createChannel();
        listener = listen();
        cmDeadlineNs = nowNs;
    }

    private void stop() {
        for (ConnectEnd end : List.copyOf(ends.values())) {
            end.attempt().crash();
            if (end.isClient()) {
                end.attempt().end(End.CRASHED);
            }
            close(end);
        }
        listener.close();
        channel.close();
        service.close();
    }

    @Override
    public long nextActionNs() {
        long nextNs = Deadline.earlier(cmDeadlineNs, nextCrashNs);
        if (toConnect > 0) {
            nextNs = Deadline.earlier(nextNs, nextConnectNs);
        }
        for (ConnectEnd end : ends.values()) {
            nextNs = Deadline.earlier(nextNs, end.actsAtNs);
        }
        return nextNs;
    }

    @Override
    public boolean isDone() {
        return toConnect == 0 && crashes == 0 && ends.isEmpty();
    }

    @Override
    public int steps() {
        return steps;
    }

    @Override
    public int achieved() {
        return 0;
    }

    @Override
    public void checkEnd() {
        List<RdmaId> left = new ArrayList<>(service.cm().ids());
        left.remove(listener);
        if (!left.isEmpty()) {
            report.violation("host%d: ids are left: %s of %s".formatted(host.index(), left, ends.values()));
        }
    }

    void close() {
        stop();
    }

    @Override
    public String toString() {
        return "host" + host.index() + ": " + toConnect + " to connect, open: " + ends.values();
    }
}

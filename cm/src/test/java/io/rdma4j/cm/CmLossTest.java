// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import static io.rdma4j.cm.CmNetwork.NONE;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Deadline;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.mad.RejectReason;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Many connections over a network that loses, duplicates, delays and reorders: every id ends, and both ends of a
 * connection agree whether it existed.
 */
class CmLossTest {
    private static final int RUNS = 60;
    private static final int CONNECTIONS = 30;
    private static final int LOSS_PERCENT = 20;
    private static final int DUPLICATION_PERCENT = 20;
    private static final long MAX_DELAY_NS = TimeUnit.SECONDS.toNanos(3);

    /** A datagram or an action of a program at a time. */
    private record Task(long atNs, long order, Runnable action) {}

    /** What one end saw of a connection; the key is the queue pair number of the client. */
    private static final class End {
        final CmId id;
        boolean isConnected;
        boolean isOver;

        End(CmId id) {
            this.id = id;
        }
    }

    private static final class Run {
        final SplittableRandom random;
        final CmNetwork network = new CmNetwork();
        final CmNetwork.Node[] nodes;
        final PriorityQueue<Task> tasks =
                new PriorityQueue<>(Comparator.comparingLong(Task::atNs).thenComparingLong(Task::order));
        final Map<Integer, End> clients = new HashMap<>();
        final Map<Integer, End> servers = new HashMap<>();
        final Map<CmId, End> ends = new HashMap<>();
        long order;

        Run(long seed) {
            random = new SplittableRandom(seed);
            nodes = new CmNetwork.Node[] {
                network.node(1, "10.77.0.1", CmOptions.of(seed)),
                network.node(2, "10.77.0.2", CmOptions.of(seed + 1)),
                network.node(3, "10.77.0.3", CmOptions.of(seed + 2))
            };
            network.isLost = flight -> {
                if (random.nextInt(100) >= LOSS_PERCENT) {
                    send(flight);
                }
                if (random.nextInt(100) < DUPLICATION_PERCENT) {
                    send(flight);
                }
                return true; // Arrives by a task, or not at all.
            };
        }

        void send(CmNetwork.Flight flight) {
            later(random.nextLong(MAX_DELAY_NS), () -> network.deliver(flight));
        }

        void later(long delayNs, Runnable action) {
            tasks.add(new Task(network.nowNs + delayNs, order++, action));
        }

        void run() {
            for (CmNetwork.Node node : nodes) {
                node.listen(CmPair.SERVICE);
                node.program = this::answer;
            }
            for (int i = 0; i < CONNECTIONS; i++) {
                int qpn = 100 + i;
                later(random.nextLong(TimeUnit.SECONDS.toNanos(20)), () -> connect(qpn));
            }
            while (true) {
                Task task = tasks.peek();
                long nextNs = Deadline.earlier(task == null ? Deadline.NEVER : task.atNs(), network.nextDeadline());
                if (nextNs == Deadline.NEVER) {
                    break;
                }
                network.advance(nextNs);
                if (task != null && task.atNs() == nextNs && task.equals(tasks.peek())) {
                    tasks.remove();
                    task.action().run();
                }
            }
        }

        void connect(int qpn) {
            CmNetwork.Node from = nodes[random.nextInt(nodes.length)];
            CmNetwork.Node to = nodes[random.nextInt(nodes.length)];
            CmId id = from.id();
            End end = new End(id);
            ends.put(id, end);
            clients.put(qpn, end);
            id.sendReq(ReqParameters.builder(from.pathTo(to), CmPair.SERVICE)
                    .queuePair(QpType.RC, qpn, 1)
                    .build());
        }

        void answer(CmNetwork.Got got) {
            CmId id = got.id();
            switch (got.event()) {
                case CmEvent.ReqReceived request -> accept(id, request);
                case CmEvent.RepReceived _ -> {
                    id.sendRtu(NONE);
                    established(id);
                }
                case CmEvent.RtuReceived _ -> established(id);
                case CmEvent.DreqReceived _ -> {
                    end(id).isConnected = true;
                    later(random.nextLong(MAX_DELAY_NS), () -> {
                        if (id.state() == CmState.DREQ_RCVD) {
                            id.sendDrep(NONE);
                        }
                    });
                }
                case CmEvent.TimewaitExit _ -> end(id).isOver = true;
                case CmEvent.RejReceived _ -> end(id).isOver |= id.state() == CmState.IDLE;
                case CmEvent.NoResponse _ -> end(id).isOver |= id.state() == CmState.IDLE;
                default -> {}
            }
        }

        private void accept(CmId id, CmEvent.ReqReceived request) {
            int qpn = request.remoteQpn();
            if (servers.containsKey(qpn)) {
                // An old REQ that came after the end of its connection, or after its rejection.
                assertThat(servers.get(qpn).id.state()).isEqualTo(CmState.IDLE);
                id.sendRej(RejectReason.CONSUMER_DEFINED, NONE, NONE);
                return;
            }
            End end = new End(id);
            ends.put(id, end);
            servers.put(qpn, end);
            if (random.nextInt(4) == 0) {
                id.sendMra(22, random.nextBoolean(), NONE);
            }
            later(random.nextLong(2 * MAX_DELAY_NS), () -> {
                if (id.state() != CmState.REQ_RCVD && id.state() != CmState.MRA_REQ_SENT) {
                    return; // The client has given up.
                }
                if (random.nextInt(5) == 0) {
                    id.sendRej(RejectReason.NO_RESOURCES, NONE, NONE);
                    end.isOver = true;
                } else {
                    id.sendRep(RepParameters.to(request, 10_000 + qpn, 1));
                }
            });
        }

        private End end(CmId id) {
            return ends.computeIfAbsent(id, End::new);
        }

        private void established(CmId id) {
            end(id).isConnected = true;
            if (random.nextBoolean()) {
                later(random.nextLong(TimeUnit.SECONDS.toNanos(30)), () -> {
                    if (id.state() == CmState.ESTABLISHED) {
                        id.sendDreq(NONE);
                    }
                });
            } else if (id.listenId() == null) {
                // At least one end must disconnect, some only after all repetitions of the reply.
                later(TimeUnit.SECONDS.toNanos(150), () -> {
                    if (id.state() == CmState.ESTABLISHED) {
                        id.sendDreq(NONE);
                    }
                });
            }
        }

        void check() {
            clients.forEach((qpn, client) -> {
                End server = servers.get(qpn);
                assertThat(client.isOver).as("client %d ends", qpn).isTrue();
                if (server != null) {
                    assertThat(server.isOver).as("server %d ends", qpn).isTrue();
                }
                assertThat(server != null && server.isConnected)
                        .as("both ends of %d agree", qpn)
                        .isEqualTo(client.isConnected);
            });
            for (CmNetwork.Node node : nodes) {
                assertThat(node.cm.ids())
                        .as("only listeners and idle ids are left")
                        .allMatch(id -> id.state() == CmState.LISTEN || id.state() == CmState.IDLE);
                node.cm.destroyIds();
                assertThat(node.cm.size()).isZero();
            }
        }
    }

    @Test
    void everyConnectionEndsAndBothEndsAgree() {
        int connected = 0;
        for (long seed = 1; seed <= RUNS; seed++) {
            Run run = new Run(seed);
            try {
                run.run();
                run.check();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
            connected += (int)
                    run.clients.values().stream().filter(end -> end.isConnected).count();
        }
        // Most requests are accepted in spite of the loss.
        assertThat(connected).isGreaterThan(RUNS * CONNECTIONS / 2);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.transport.TestLink.Way;
import io.rdma4j.transport.port.LinkMessage;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.AlternatePath;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.MigrationState;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.Rate;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Messages that are handed over whole do what they would do as packets: the same completions, bytes, events and
 * numbers. Each story runs four times, by packets, by a link, by rings, and by rings with stores, and must end in the
 * same way.
 */
class LinkResultTest {
    private static final int BYTES = 20_000;

    /**
     * @param links messages that go by a link; the others come as packets
     * @param rings messages that go by a ring
     */
    private record Story(String name, PairSettings settings, int links, int rings, Consumer<Stage> plot) {
        Story(String name, int links, Consumer<Stage> plot) {
            this(name, rdma(), links, plot);
        }

        Story(String name, PairSettings settings, int links, Consumer<Stage> plot) {
            this(name, settings, links, links, plot);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /** Two ends and what they have seen. */
    private static final class Stage {
        final EnginePair pair;
        final Endpoint a;
        final Endpoint b;
        final TestRegion source;
        final TestRegion target;
        final List<Object> seen = new ArrayList<>();

        Stage(EnginePair pair) {
            this.pair = pair;
            a = pair.a;
            b = pair.b;
            source = a.shared(BYTES).filled(1);
            target = b.shared(BYTES).filled(2);
        }

        void receive(int... lengths) {
            for (int i = 0; i < lengths.length; i++) {
                b.receive(100 + i, target.piece(i * 1000L, lengths[i]));
            }
        }

        void sends(int... lengths) {
            for (int i = 0; i < lengths.length; i++) {
                a.send(i, source.piece(i * 1000L, lengths[i]));
            }
        }

        void run() {
            pair.run();
            seen.addAll(a.sendCompletions().stream().map(Stage::timeless).toList());
            seen.addAll(a.receiveCompletions().stream().map(Stage::timeless).toList());
            seen.addAll(b.receiveCompletions().stream().map(Stage::timeless).toList());
            seen.addAll(b.sendCompletions().stream().map(Stage::timeless).toList());
        }

        private static Completion timeless(Completion c) {
            return new Completion(
                    c.wrId(),
                    c.status(),
                    c.opcode(),
                    c.byteLength(),
                    c.flags(),
                    c.immediate(),
                    c.qpNumber(),
                    c.sourceQp(),
                    0,
                    c.vendorError());
        }

        /** What is left behind: it must not depend on the way. */
        List<Object> end() {
            run();
            seen.add(a.state() + " " + b.state() + " " + a.events + " " + b.events);
            seen.add(psns(a) + " " + psns(b));
            seen.add("notifications " + b.receiveNotifications);
            seen.add(Arrays.hashCode(target.bytes(0, BYTES)));
            seen.add(Arrays.hashCode(source.bytes(0, BYTES)));
            return seen;
        }

        private String psns(Endpoint end) {
            pair.receives(end);
            QpAttributes now = end.engine.query();
            return now.sqPsn() + "/" + now.rqPsn();
        }
    }

    private static PairSettings rdma() {
        return new PairSettings().rdma(4);
    }

    private static final AddressVector SLOW =
            new AddressVector(GlobalRoute.to(Gid.ofIpv4(0x0A00_0001), 0), 0, 0, 0, Rate.GBPS_2_5, 1);

    private static Stream<Story> stories() {
        return Stream.of(arrivals(), deliveries(), packets(), errors(), endsOfMemoryAndRings(), states())
                .flatMap(stories -> stories);
    }

    private static Stream<Story> arrivals() {
        return Stream.of(
                new Story("sends of one packet", 3, s -> {
                    s.receive(100, 200, 300);
                    s.sends(100, 1, 300);
                }),
                new Story("sends of several packets, then a READ and packets", 2, s -> {
                    s.receive(5000, 5000, 5000);
                    s.sends(5000, 4096);
                    s.run();
                    s.a.read(7, s.target.piece(0, 3000), s.source.piece(9000, 3000));
                    s.a.send(8, s.source.piece(0, 10), s.source.piece(100, 10));
                }),
                new Story("longest", 2, s -> {
                    s.receive(LinkMessage.MAX_BYTES, LinkMessage.MAX_BYTES);
                    s.sends(LinkMessage.MAX_BYTES - 1, LinkMessage.MAX_BYTES);
                }),
                new Story("empty", 3, s -> {
                    s.receive(10);
                    s.b.receive(101);
                    s.sends(0);
                    s.a.send(1);
                    s.a.write(2, new TestRegion.Piece(0xBAD, 0, 0));
                }),
                new Story("empty pieces need no valid key", 1, s -> {
                    s.b.receive(1, new TestRegion.Piece(0xBAD, -1, 0), s.target.piece(0, 10));
                    s.a.send(2, s.source.piece(0, 10), new TestRegion.Piece(0xBAD, -1, 0));
                }),
                new Story("immediate data", 4, s -> {
                    s.receive(100, 0, 100, 0);
                    s.a.sends()
                            .wrId(1)
                            .sendImm(0xCAFE_BABE)
                            .sge(s.source.lkey(), s.source.address(), 90)
                            .wrId(2)
                            .sendImm(0x0102_0304)
                            .wrId(3)
                            .rdmaWriteImm(s.target.lkey(), s.target.address() + 15_000, 77)
                            .sge(s.source.lkey(), s.source.address() + 3, 1500)
                            .wrId(4)
                            .rdmaWriteImm(0xBAD, 0, 78)
                            .complete();
                }),
                new Story("writes", 3, s -> {
                    s.a.write(1, s.target.piece(15_001, 0), s.source.piece(3, 1024));
                    s.a.write(2, s.target.piece(17, 0), s.source.piece(5, 3));
                    s.a.write(3, s.target.piece(2000, 0), s.source.piece(5, 10_001));
                }));
    }

    private static Stream<Story> deliveries() {
        return Stream.of(
                new Story("solicited", 2, s -> {
                    s.b.receiveRing.requestNotification(true);
                    s.receive(10, 10);
                    s.a.sends().wrId(1).send().wrId(2).solicited().send().complete();
                }),
                new Story("not solicited", 1, s -> {
                    s.b.receiveRing.requestNotification(true);
                    s.receive(10);
                    s.a.sends().wrId(1).send().complete();
                }),
                new Story("inline", 2, s -> {
                    s.receive(100);
                    s.a.sends()
                            .wrId(1)
                            .send()
                            .inline(s.source.memory().asSlice(0, 60))
                            .wrId(2)
                            .rdmaWrite(s.target.lkey(), s.target.address() + 9000)
                            .inline(s.source.memory().asSlice(60, 5))
                            .complete();
                    s.source.memory().asSlice(0, 65).fill((byte) 0);
                }),
                new Story("receive of several pieces", 2, s -> {
                    s.b.receive(1, s.target.piece(0, 7), s.target.piece(5000, 0), s.target.piece(1000, 2000));
                    s.b.receive(2, s.target.piece(9000, 1), s.target.piece(9100, 1));
                    s.sends(1500, 1);
                }),
                new Story("shared receive queue", rdma().sharedReceives(4), 3, s -> {
                    s.receive(10, 20, 30);
                    s.sends(1, 2, 3);
                }),
                new Story("both directions", 20, s -> {
                    for (int i = 0; i < 10; i++) {
                        s.b.receive(i, s.target.piece(i * 300L, 300));
                        s.a.receive(i, s.source.piece(10_000 + i * 300L, 300));
                        s.a.send(50 + i, s.source.piece(i * 10L, 200 + i));
                        s.b.send(60 + i, s.target.piece(10_000 + i * 10L, 200 + i));
                    }
                }),
                new Story("numbers wrap", rdma().psnA(0xFF_FFFD), 3, s -> {
                    s.receive(5000, 5000);
                    s.sends(2048, 3000);
                    s.run();
                    s.a.write(9, s.target.piece(0, 0), s.source.piece(1, 1));
                }),
                new Story("more than the window holds", rdma().mtu(Mtu.MTU_256), 40, s -> {
                    for (int i = 0; i < 40; i++) {
                        s.a.write(i, s.target.piece(i, 0), s.source.piece(i * 50L, 10_000));
                    }
                }),
                new Story("unsignaled", rdma().signalsOnRequest(), 3, s -> {
                    s.receive(10, 10, 10);
                    s.sends(1, 2);
                    s.a.sends().wrId(9).signaled().send().complete();
                }));
    }

    /** What is special goes as packets. */
    private static Stream<Story> packets() {
        return Stream.of(
                new Story("too long", 0, s -> {
                    s.receive(BYTES);
                    s.sends(LinkMessage.MAX_BYTES + 1);
                }),
                new Story("out of several pieces", 0, s -> {
                    s.receive(100);
                    s.a.send(1, s.source.piece(0, 10), s.source.piece(500, 20));
                }),
                new Story("while a READ is awaited", 0, s -> {
                    s.a.read(1, s.target.piece(0, 5000), s.source.piece(9000, 5000));
                    s.a.write(2, s.target.piece(3, 0), s.source.piece(9000, 400));
                }),
                new Story("behind a fence", 1, s -> {
                    s.a.read(1, s.target.piece(0, 500), s.source.piece(9000, 500));
                    s.a.sends()
                            .wrId(2)
                            .fenced()
                            .rdmaWrite(s.target.lkey(), s.target.address() + 1000)
                            .sge(s.source.lkey(), s.source.address() + 9000, 500)
                            .complete();
                }),
                new Story("limited credits", rdma().options(TransportOptions.DEFAULT.withCredits()), 4, s -> {
                    s.receive(10, 10, 10, 10);
                    s.sends(1);
                    s.run();
                    s.sends(1, 2, 3);
                }),
                new Story("static rate", 0, s -> {
                    s.a.modify(QpAttributes.builder().addressVector(SLOW));
                    s.a.write(1, s.target.piece(0, 0), s.source.piece(1, 1000));
                    s.a.write(2, s.target.piece(2000, 0), s.source.piece(1, 1000));
                }),
                new Story("path migration", 0, s -> {
                    s.a.modify(QpAttributes.builder()
                            .alternatePath(new AlternatePath(AddressVector.roce(1, Gid.ofIpv4(1), 3), 1, 1, 10))
                            .migrationState(MigrationState.REARM));
                    s.a.write(1, s.target.piece(0, 0), s.source.piece(1, 1000));
                }));
    }

    private static Stream<Story> errors() {
        return Stream.of(
                new Story("no receive posted", rdma(), 1, s -> {
                    s.sends(10, 20);
                    s.pair.settle();
                    s.receive(100, 100);
                    s.run();
                    s.receive(100);
                    s.sends(30);
                }),
                new Story("never a receive", rdma().rnrRetry(1), 0, s -> s.sends(10)),
                new Story("receive too short", rdma(), 1, s -> {
                    s.receive(10, 19, 20);
                    s.sends(10, 20, 20);
                }),
                new Story("receive malformed", rdma(), 0, s -> {
                    s.b.receive(1, new TestRegion.Piece(0xBAD, 0, 10));
                    s.sends(10);
                }),
                new Story("unknown key", rdma(), 1, s -> {
                    s.a.write(1, s.target.piece(0, 0), s.source.piece(0, 10));
                    s.a.write(2, new TestRegion.Piece(0xBAD, s.target.address(), 0), s.source.piece(0, 10));
                }),
                new Story("behind the end", rdma(), 0, s -> {
                    s.a.write(1, s.target.piece(BYTES - 9, 0), s.source.piece(0, 10));
                }),
                new Story("immediate data with an unknown key", rdma(), 0, s -> {
                    s.receive(10);
                    s.a.sends()
                            .wrId(1)
                            .rdmaWriteImm(0xBAD, s.target.address(), 5)
                            .sge(s.source.lkey(), s.source.address(), 10)
                            .complete();
                }),
                new Story("region that the peer may not write", rdma(), 0, s -> {
                    TestRegion own = s.b.region(100);
                    s.a.write(1, own.piece(0, 0), s.source.piece(0, 10));
                }),
                new Story(
                        "queue pair that may not be written through",
                        rdma().access(EnumSet.of(AccessFlag.REMOTE_READ)),
                        0,
                        s -> s.a.write(1, s.target.piece(0, 0), s.source.piece(0, 10))),
                new Story("the same, nothing to write", rdma().access(EnumSet.noneOf(AccessFlag.class)), 0, s -> {
                    s.a.write(1, s.target.piece(0, 0));
                }),
                new Story("unknown local key", 0, s -> {
                    s.receive(10);
                    s.a.send(1, new TestRegion.Piece(0xBAD, 0, 10));
                }));
    }

    private static Stream<Story> endsOfMemoryAndRings() {
        return Stream.of(
                new Story("closed source", 0, s -> {
                    s.receive(10);
                    Arena arena = Arena.ofShared();
                    TestRegion gone = s.a.region(arena, 10, s.a.protectionDomain, 0);
                    arena.close();
                    s.a.send(1, gone.first(10));
                }),
                new Story("closed receive", rdma(), 0, s -> {
                    Arena arena = Arena.ofShared();
                    s.b.receive(
                            1, s.b.region(arena, 10, s.b.protectionDomain, 1).first(10));
                    arena.close();
                    s.sends(10);
                }),
                new Story("closed target", rdma(), 0, s -> {
                    Arena arena = Arena.ofShared();
                    TestRegion gone = s.b.region(arena, 10, s.b.protectionDomain, Endpoint.ALL_RIGHTS);
                    arena.close();
                    s.a.write(1, gone.piece(0, 0), s.source.piece(0, 10));
                }),
                new Story("receive completions overrun", rdma().completionEntries(3), 3, s -> {
                    s.receive(1, 1, 1, 1, 1);
                    for (int i = 0; i < 3; i++) {
                        s.a.send(i);
                        s.pair.settle();
                        s.seen.addAll(s.a.sendResults());
                    }
                    s.a.send(4);
                }),
                new Story("send completions overrun", rdma().completionEntries(2), 3, s -> {
                    s.receive(1, 1, 1);
                    s.sends(1);
                    s.pair.settle();
                    s.b.receiveResults();
                    s.a.send(1);
                    s.pair.settle();
                    s.b.receiveResults();
                    s.a.send(2);
                    s.pair.settle();
                    s.a.modify(QpState.ERR);
                }),
                new Story("path MTU of the peer is smaller", rdma().mtu(Mtu.MTU_2048), 0, s -> {
                    s.receive(5000);
                    s.b.modify(QpAttributes.builder().pathMtu(Mtu.MTU_1024));
                    s.sends(2000);
                }));
    }

    private static Stream<Story> states() {
        return Stream.of(
                new Story("peer is ready to receive only", rdma().notConnected(), 1, s -> {
                    s.a.init();
                    s.b.init();
                    s.a.readyToReceive(EnginePair.QPN_B, PairSettings.PSN_B);
                    s.b.readyToReceive(EnginePair.QPN_A, PairSettings.PSN_A);
                    s.a.readyToSend(PairSettings.PSN_A);
                    s.receive(10);
                    s.sends(10);
                }),
                new Story("send queue drains", rdma(), 2, 1, s -> {
                    s.receive(10, 10);
                    s.sends(10);
                    s.pair.transmit();
                    s.a.modify(QpAttributes.builder().state(QpState.SQD).sqdAsyncNotify(true));
                    s.a.send(5);
                    s.run();
                    s.seen.add("drained " + s.a.events.contains(EventType.SQ_DRAINED));
                    s.a.modify(QpState.RTS);
                }),
                new Story("peer in ERR", rdma().retryCount(1), 0, s -> {
                    s.b.modify(QpState.ERR);
                    s.sends(10);
                }));
    }

    @TestFactory
    Stream<DynamicTest> handedOverOrNotTheEndIsTheSame() {
        return stories()
                .flatMap(story -> Stream.of(Way.LINK, Way.RING, Way.STORE)
                        .map(way -> DynamicTest.dynamicTest(story + " by " + way, () -> assertSameEnd(story, way))));
    }

    private static void assertSameEnd(Story story, Way way) {
        List<Object> byPackets = play(story, Way.NONE);
        assertThat(play(story, way)).isEqualTo(byPackets);
    }

    private static List<Object> play(Story story, Way way) {
        try (EnginePair pair = new EnginePair(story.settings.way(way))) {
            Stage stage = new Stage(pair);
            story.plot.accept(stage);
            List<Object> end = stage.end();
            int expected = way == Way.NONE ? 0 : way == Way.LINK ? story.links : story.rings;
            assertThat(pair.link.delivered()).as("messages handed over").isEqualTo(expected);
            return end;
        }
    }

    /** A test of the stage: the stories tell something. */
    @TestFactory
    Stream<DynamicTest> everyStoryCompletesWhatIsPosted() {
        return stories()
                .map(story -> DynamicTest.dynamicTest(
                        story.name,
                        () -> assertThat(play(story, Way.NONE))
                                .filteredOn(Completion.class::isInstance)
                                .isNotEmpty()));
    }

    /** Sizes around the path MTU, by every way. */
    @TestFactory
    Stream<DynamicTest> bytesArrive() {
        return Stream.of(Way.values())
                .flatMap(way -> IntStream.of(1, 7, 1023, 1024, 1025, 2048, 4095, 16_384)
                        .mapToObj(bytes -> DynamicTest.dynamicTest(bytes + " bytes by " + way, () -> {
                            try (EnginePair pair = new EnginePair(rdma().way(way))) {
                                Stage stage = new Stage(pair);
                                stage.receive(bytes);
                                stage.sends(bytes);
                                pair.settle();
                                assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS");
                                assertThat(pair.b.receiveResults()).containsExactly("100 SUCCESS");
                                assertThat(EnginePair.sameBytes(stage.source, stage.target, bytes))
                                        .isTrue();
                                assertThat(pair.link.delivered()).isEqualTo(way == Way.NONE ? 0 : 1);
                                assertThat(pair.network.sent().isEmpty()).isEqualTo(way != Way.NONE);
                            }
                        })));
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.CompletionCursor;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.verbs.wr.SignalType;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import io.rdma4j.verbs.wr.WrOpcode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class QueuePairPostTest {
    private final Fixture fixture = new Fixture();
    private final CompletionQueue cq = fixture.context.createCq(64);
    private final CompletionQueue peerCq = fixture.context.createCq(64);
    private final QueuePair qp = fixture.qp(cq);
    private final QueuePair peer = fixture.qp(peerCq);
    private final MemoryRegion memory = fixture.memory(4096);

    private void connect() {
        Fixture.connect(qp, peer);
        Fixture.connect(peer, qp);
    }

    @Test
    @Covers({"WR-1", "WR-2", "WR-3", "WR-5"})
    void aMessageOfSeveralPiecesArrivesInSeveralPieces() {
        connect();
        memory.segment().setString(0, "gather and scatter");
        peer.postReceive(ReceiveRequest.of(5, memory.sge(1024, 7), memory.sge(2048, 100)));

        qp.postSend(SendRequest.send()
                .wrId(6)
                .signaled()
                .sge(memory.sge(0, 10))
                .sge(memory.sge(10, 9))
                .build());

        assertThat(cq.poll(9))
                .singleElement()
                .satisfies(sent -> assertThat(sent.opcode()).isEqualTo(WcOpcode.SEND));
        assertThat(peerCq.poll(9))
                .singleElement()
                .satisfies(received -> assertThat(received.byteLength()).isEqualTo(19));
        MemorySegment joined = Arena.ofAuto().allocate(19);
        joined.copyFrom(memory.segment().asSlice(1024, 7));
        joined.asSlice(7).copyFrom(memory.segment().asSlice(2048, 12));
        assertThat(joined.getString(0)).isEqualTo("gather and scatter");
    }

    @Test
    @Covers({"WR-38", "WR-39", "WR-40"})
    void bothDoorsLeadToTheSameQueue() {
        connect();
        peer.startReceive()
                .receive(1)
                .sge(memory.lkey(), memory.address() + 64, 64)
                .receive(2)
                .complete();
        memory.segment().setString(0, "hello");
        qp.startSend()
                .wrId(3)
                .send()
                .sge(memory.lkey(), memory.address(), 6)
                .wrId(4)
                .signaled()
                .sendImm(77)
                .complete();

        assertThat(memory.segment().getString(64)).isEqualTo("hello");
        assertThat(cq.poll(9)).extracting(WorkCompletion::wrId).containsExactly(4L);
        try (CompletionCursor cursor = peerCq.startPoll()) {
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.wrId()).isEqualTo(1);
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.immediate()).isEqualTo(77);
            assertThat(cursor.next()).isFalse();
        }
    }

    @Test
    @Covers("WR-27")
    void inlineDataNeedNoRegistrationAndAreFreeAfterPosting() {
        connect();
        MemorySegment text = Fixture.text("inline");
        qp.postSend(SendRequest.sendWithImmediate(9).inlineData(text).build());
        text.fill((byte) 0);

        peer.postReceive(ReceiveRequest.of(1, memory.sge(0, 64)));

        assertThat(memory.segment().getString(0)).isEqualTo("inline");
        assertThat(peerCq.poll(1).get(0).immediate()).isEqualTo(9);
    }

    @Test
    void onlySignaledSendsCompleteUnlessTheQueuePairSignalsAll() {
        QueuePair signalsAll = fixture.pd.createQp(QpInitAttributes.builder(cq)
                .capabilities(QpCapabilities.of(7, 7))
                .signalType(SignalType.ALL_WR)
                .build());
        Fixture.connect(signalsAll, peer);
        Fixture.connect(peer, signalsAll);
        peer.postReceive(ReceiveRequest.of(1), ReceiveRequest.of(2));
        signalsAll.postSend(SendRequest.send().wrId(1).build());
        assertThat(cq.poll(9)).hasSize(1);

        Fixture.connect(qp, peer);
        qp.postSend(SendRequest.send().wrId(2).build());
        assertThat(cq.poll(9)).isEmpty();
    }

    @Test
    void sendsNeedRtsAndReceivesInit() {
        SendRequest send = SendRequest.send().build();
        ReceiveRequest receive = ReceiveRequest.of(1);
        assertRefused(Errno.EINVAL, "RESET", () -> qp.postReceive(receive));
        assertRefused(Errno.EINVAL, "RESET", () -> qp.postSend(send));
        qp.modify(Fixture.toInit().build());
        qp.postReceive(receive);
        assertRefused(Errno.EINVAL, "INIT", () -> qp.postSend(send));
        qp.modify(Fixture.toRtr(1).build());
        assertRefused(Errno.EINVAL, "RTR", () -> qp.postSend(send));
        qp.modify(Fixture.toRts().build());
        qp.postSend(send);
    }

    @Test
    void sendsPostedWhileDrainingWait() {
        connect();
        peer.postReceive(ReceiveRequest.of(1));
        qp.modify(QpAttributes.builder().state(QpState.SQD).build());
        qp.postSend(SendRequest.send().signaled().build());
        assertThat(cq.poll(1)).isEmpty();

        qp.modify(QpAttributes.builder().state(QpState.RTS).build());

        assertThat(cq.poll(1)).hasSize(1);
    }

    @Test
    void whatIsPostedInErrorIsFlushed() {
        connect();
        qp.modify(QpAttributes.builder().state(QpState.ERR).build());
        qp.postSend(SendRequest.send().wrId(1).build());
        qp.postReceive(ReceiveRequest.of(2));

        assertThat(cq.poll(9))
                .extracting(WorkCompletion::wrId, WorkCompletion::status, WorkCompletion::qpNumber)
                .containsExactly(
                        tuple(1L, WcStatus.WR_FLUSH_ERR, qp.qpn()), tuple(2L, WcStatus.WR_FLUSH_ERR, qp.qpn()));
    }

    @Test
    void memoryOfAnotherDomainIsAProtectionError() {
        connect();
        ProtectionDomain otherPd = fixture.context.allocatePd();
        MemoryRegion foreign = otherPd.registerMemory(Arena.ofAuto().allocate(64), Set.of(AccessFlag.LOCAL_WRITE));
        peer.postReceive(ReceiveRequest.of(1, memory.sge(0, 64)));

        qp.postSend(SendRequest.send().wrId(8).sge(foreign.sge(0, 64)).build());

        assertThat(cq.poll(1).get(0).status()).isEqualTo(WcStatus.LOC_PROT_ERR);
        assertThat(qp.state()).isEqualTo(QpState.ERR);
    }

    @Test
    @Covers({"WR-37", "RXE-82", "RXE-88"})
    void theBadRequestIsNamedAndThoseBeforeItStayPosted() {
        connect();
        peer.postReceive(ReceiveRequest.of(1), ReceiveRequest.of(2));
        SendRequest good = SendRequest.send().wrId(1).signaled().build();
        SendRequest.Builder tooManyPieces = SendRequest.send().wrId(42);
        int limit = qp.initAttributes().capabilities().maxSendSge();
        for (int i = 0; i <= limit; i++) {
            tooManyPieces.sge(memory.sge(0, 1));
        }
        SendRequest bad = tooManyPieces.build();

        assertThatExceptionOfType(BadWorkRequestException.class)
                .isThrownBy(() -> qp.postSend(good, bad, good))
                .withMessageContaining("work request 1 (wr_id 42)")
                .satisfies(e -> {
                    assertThat(e.errno()).isEqualTo(Errno.EINVAL);
                    assertThat(e.index()).isEqualTo(1);
                    assertThat(e.request()).isSameAs(bad);
                });
        assertThat(cq.poll(9)).hasSize(1);
    }

    @Test
    @Covers("WR-37")
    void aFullReceiveQueueTakesAsManyAsFit() {
        qp.modify(Fixture.toInit().build());
        int limit = qp.initAttributes().capabilities().maxReceiveWr();
        List<ReceiveRequest> requests = new ArrayList<>();
        for (int i = 0; i <= limit; i++) {
            requests.add(ReceiveRequest.of(i));
        }

        assertThatExceptionOfType(BadWorkRequestException.class)
                .isThrownBy(() -> qp.postReceive(requests))
                .satisfies(e -> {
                    assertThat(e.errno()).isEqualTo(Errno.ENOMEM);
                    assertThat(e.index()).isEqualTo(limit);
                });
    }

    @Test
    void aRefusedRequestLeavesTheQueueUsable() {
        connect();
        Arena arena = Arena.ofShared();
        SendRequest dead = SendRequest.send().inlineData(arena.allocate(8)).build();
        arena.close();

        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> qp.postSend(dead));

        peer.postReceive(ReceiveRequest.of(1));
        qp.postSend(SendRequest.send().signaled().build());
        assertThat(cq.poll(9)).hasSize(1);
    }

    @Test
    void requestsThatMakeNoSenseCannotBeBuilt() {
        assertRefused(
                Errno.EINVAL,
                "RDMA_READ does not go with Plain",
                () -> new SendRequest(
                        0, WrOpcode.RDMA_READ, Set.of(), List.of(), 0, null, new SendOperation.Plain(), null));
        assertRefused(
                Errno.EINVAL,
                "INLINE",
                () -> SendRequest.send().flag(SendFlag.INLINE).build());
    }
}

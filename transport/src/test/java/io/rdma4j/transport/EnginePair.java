// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import io.rdma4j.base.Deadline;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.wire.Aeth;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Reth;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Two connected queue pairs A and B on a network that does what the test says, in virtual time.
 *
 * <p>A test posts work, then either lets things go ({@link #settle} without, {@link #run} with timers) or goes step by
 * step: {@link #transmit} fills the network's list, the test changes the list, {@link #deliver} empties it.
 */
final class EnginePair implements Endpoint.Outlet, AutoCloseable {
    static final int QPN_A = 0xA1;
    static final int QPN_B = 0xB2;
    private static final int MAX_STEPS = 100_000;

    final PairSettings settings;
    final ScriptedNetwork network;
    final TestLink link;
    final Endpoint a;
    final Endpoint b;
    private long nowNs = 1_000_000_000L;

    EnginePair(PairSettings settings) {
        this.settings = settings;
        network = new ScriptedNetwork(settings.mode);
        link = new TestLink(settings.way);
        a = new Endpoint(this, QPN_A, settings);
        b = new Endpoint(this, QPN_B, settings);
        if (settings.connected) {
            connect();
        }
    }

    static EnginePair connected() {
        return new EnginePair(new PairSettings());
    }

    /** Both sides may do all to the other's memory. */
    static EnginePair rdma() {
        return new EnginePair(new PairSettings().rdma(4));
    }

    /** Walks both sides from RESET to RTS. */
    void connect() {
        connect(a, b, settings.psnA);
    }

    /** Drops all that is in flight, and walks both sides through RESET to RTS once more. */
    void reconnect() {
        network.dropAll();
        network.forgetSent();
        a.modify(QpState.RESET);
        b.modify(QpState.RESET);
        connect();
    }

    static void connect(Endpoint a, Endpoint b, int psnA) {
        a.init();
        b.init();
        a.readyToReceive(QPN_B, PairSettings.PSN_B);
        b.readyToReceive(QPN_A, psnA);
        a.readyToSend(psnA);
        b.readyToSend(PairSettings.PSN_B);
    }

    @Override
    public long nowNs() {
        return nowNs;
    }

    @Override
    public void carry(SkBuff skb, Endpoint from) {
        network.carry(skb, other(from), from.primaryPath, nowNs);
    }

    @Override
    public void receives(Endpoint endpoint) {
        link.pass(endpoint);
    }

    @Override
    public void publishes(Endpoint endpoint, int rkey, MemorySegment memory) {
        link.publish(endpoint, rkey, memory);
    }

    @Override
    public void modifies(Endpoint endpoint) {
        link.dissolve(endpoint, other(endpoint));
    }

    private Endpoint other(Endpoint from) {
        return from == a ? b : a;
    }

    /** Lets both sides send all they may send now. */
    void transmit() {
        transmit(a, new StepLimit("A sends", MAX_STEPS));
        transmit(b, new StepLimit("B sends", MAX_STEPS));
    }

    private void transmit(Endpoint endpoint, StepLimit steps) {
        link.deliver(endpoint, other(endpoint), nowNs);
        while (endpoint.engine.pollTransmit(nowNs, settings.budget)) {
            steps.step();
        }
    }

    /** Delivers what is in flight, as one batch: answers wait until {@link #transmit}. */
    void deliver() {
        if (!link.paused) {
            link.take(a, b);
            link.take(b, a);
        }
        for (int left = network.inFlight().size(); left > 0; left--) {
            network.deliverNext(nowNs);
        }
    }

    /** True if nothing is under way. */
    private boolean isQuiet() {
        return network.inFlight().isEmpty() && link.isQuiet();
    }

    /** Sends and delivers until nothing moves; the clock stands still. */
    void settle() {
        settle(new StepLimit("nothing is under way", MAX_STEPS));
    }

    private void settle(StepLimit steps) {
        transmit(a, steps);
        transmit(b, steps);
        while (!isQuiet()) {
            steps.step();
            deliver();
            transmit(a, steps);
            transmit(b, steps);
        }
    }

    /** As {@link #settle}, and whenever all is quiet the clock goes on to the next deadline, until there is none. */
    void run() {
        StepLimit steps = new StepLimit("no timer is armed", MAX_STEPS);
        settle(steps);
        while (nextDeadlineNs() != Deadline.NEVER) {
            steps.step();
            advanceTo(nextDeadlineNs());
            settle(steps);
        }
    }

    long nextDeadlineNs() {
        return Deadline.earlier(a.engine.nextDeadlineNs(), b.engine.nextDeadlineNs());
    }

    /** Lets time pass and both engines look at their timers; nothing is sent. */
    void advance(long ns) {
        advanceTo(nowNs + ns);
    }

    void advanceTo(long pointNs) {
        nowNs = pointNs;
        if (link.hasRings()) {
            link.deliver(a, b, nowNs);
            link.deliver(b, a, nowNs);
        }
        a.engine.onTimeout(nowNs);
        b.engine.onTimeout(nowNs);
    }

    /** Hands a request made by hand to B, with zeroes as extended headers and payload. */
    void requestToB(Opcode opcode, int psn, boolean ackRequest, int payloadBytes) {
        SkBuff skb = packet(opcode, psn, ackRequest, QPN_B, payloadBytes);
        b.receive(skb, nowNs);
        skb.free();
    }

    /** Hands an answer made by hand to A. */
    void responseToA(int syndrome, int psn) {
        SkBuff skb = packet(Opcode.RC_ACKNOWLEDGE, psn, false, QPN_A, 0);
        Aeth.write(skb.memory(), skb.data() + Opcode.RC_ACKNOWLEDGE.offsetOf(Header.AETH), syndrome, 0);
        a.receive(skb, nowNs);
        skb.free();
    }

    /** Hands an answer with zeroes as extended headers and payload to A. */
    void answerToA(Opcode opcode, int psn, int payloadBytes) {
        SkBuff skb = packet(opcode, psn, false, QPN_A, payloadBytes);
        a.receive(skb, nowNs);
        skb.free();
    }

    /** A packet made by hand; extended headers and payload are zeroes. */
    SkBuff packet(Opcode opcode, int psn, boolean ackRequest, int qpn, int payloadBytes) {
        SkBuff skb = network.allocate();
        int at = skb.put(opcode.headerBytes() + payloadBytes);
        MemorySegment memory = skb.memory();
        memory.asSlice(at, skb.len()).fill((byte) 0);
        Bth.write(memory, at, opcode, false, true, -payloadBytes & 3, Endpoint.PKEY, qpn, ackRequest, psn);
        return skb;
    }

    /** What a request made by hand is about. */
    void requestToB(Opcode opcode, int psn, TestRegion.Piece target, long dmaLength, int payloadBytes) {
        SkBuff skb = packet(opcode, psn, true, QPN_B, payloadBytes);
        Reth.write(skb.memory(), skb.data() + opcode.offsetOf(Header.RETH), target.address(), target.lkey(), dmaLength);
        b.receive(skb, nowNs);
        skb.free();
    }

    /** Posts {@code count} receives of {@code lengthBytes} at B, numbered from 0, all into one region. */
    TestRegion postReceives(int count, int lengthBytes) {
        TestRegion target = b.region(Math.max(1, (long) count * lengthBytes));
        for (int i = 0; i < count; i++) {
            b.receive(i, target.piece((long) i * lengthBytes, lengthBytes));
        }
        return target;
    }

    /** Posts {@code count} sends of {@code lengthBytes} at A, numbered from 0, out of one region. */
    TestRegion postSends(int count, int lengthBytes) {
        TestRegion source = a.region(Math.max(1, (long) count * lengthBytes)).filled(count * 31L + lengthBytes);
        for (int i = 0; i < count; i++) {
            a.send(i, source.piece((long) i * lengthBytes, lengthBytes));
        }
        return source;
    }

    /** True if both regions begin with the same {@code bytes} bytes. */
    static boolean sameBytes(TestRegion x, TestRegion y, int bytes) {
        return Arrays.equals(x.bytes(0, bytes), y.bytes(0, bytes));
    }

    @Override
    public void close() {
        network.close();
        a.close();
        b.close();
    }
}

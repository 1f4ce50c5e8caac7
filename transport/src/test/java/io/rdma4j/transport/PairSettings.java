// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import io.rdma4j.base.Mtu;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpCreateFlag;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.SignalType;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How two test queue pairs are made and connected; the defaults suit a test that does not care. */
final class PairSettings {
    /** First PSN of side A. */
    static final int PSN_A = 100;
    /** First PSN of side B. */
    static final int PSN_B = 7000;

    QpType type = QpType.RC;
    /** Type of side B; that of A if null. */
    @Nullable
    QpType typeB;

    /** Requests that the shared receive queue of side B holds; 0 for a receive queue of its own. */
    int sharedReceives;

    int qkey = 0x1111_1111;
    Mtu mtu = Mtu.MTU_1024;
    ScriptedNetwork.Mode mode = ScriptedNetwork.Mode.WHOLE;
    TestLink.Way way = TestLink.Way.NONE;
    int psnA = PSN_A;
    int timeout = 14;
    int retryCount = 7;
    int rnrRetry = 7;
    int minRnrTimer = 12;
    int queueEntries = 127;
    int completionEntries = 1023;
    int maxSge = 4;
    int maxInlineData = 64;
    int budget = 1000;
    boolean signalsAll = true;
    boolean connected = true;
    Set<AccessFlag> access = Set.of();
    QpCreateFlag[] createFlags = {};
    int maxRdAtomic;
    int maxDestRdAtomic;
    TransportOptions options = TransportOptions.DEFAULT;

    /** A sends to shared receive queues of B. */
    PairSettings xrc() {
        type = QpType.XRC_INI;
        typeB = QpType.XRC_TGT;
        return this;
    }

    PairSettings sharedReceives(int value) {
        sharedReceives = value;
        return this;
    }

    /** Q_Key of both sides. */
    PairSettings qkey(int value) {
        qkey = value;
        return this;
    }

    /**
     * What requests are posted as: the client's end wants objects of the core for datagrams, so tests post them as to a
     * connection and write the destination by hand.
     */
    QpType postedType() {
        return type == QpType.UD || type == QpType.GSI ? QpType.RC : type;
    }

    /** What a queue pair is made with; the objects are nobody's business here. */
    QpInitAttributes attributes(QpType ofSide) {
        return QpInitAttributes.builder(null, null)
                .type(ofSide)
                .signalType(signalsAll ? SignalType.ALL_WR : SignalType.REQ_WR)
                .createFlags(createFlags)
                .build();
    }

    PairSettings type(QpType value) {
        type = value;
        return this;
    }

    PairSettings mtu(Mtu value) {
        mtu = value;
        return this;
    }

    PairSettings mode(ScriptedNetwork.Mode value) {
        mode = value;
        return this;
    }

    /** How messages are handed over whole, if at all. */
    PairSettings way(TestLink.Way value) {
        way = value;
        return this;
    }

    PairSettings psnA(int value) {
        psnA = value;
        return this;
    }

    /** Local ACK timeout code of side A and B. */
    PairSettings timeout(int value) {
        timeout = value;
        return this;
    }

    PairSettings retryCount(int value) {
        retryCount = value;
        return this;
    }

    PairSettings rnrRetry(int value) {
        rnrRetry = value;
        return this;
    }

    PairSettings minRnrTimer(int value) {
        minRnrTimer = value;
        return this;
    }

    /** At least this many work requests in each queue. */
    PairSettings queueEntries(int value) {
        queueEntries = value;
        return this;
    }

    /** At least this many completions in each completion queue. */
    PairSettings completionEntries(int value) {
        completionEntries = value;
        return this;
    }

    PairSettings maxSge(int value) {
        maxSge = value;
        return this;
    }

    PairSettings maxInlineData(int value) {
        maxInlineData = value;
        return this;
    }

    /** Packets per {@code pollTransmit}. */
    PairSettings budget(int value) {
        budget = value;
        return this;
    }

    PairSettings signalsOnRequest() {
        signalsAll = false;
        return this;
    }

    /** Both sides stay in RESET. */
    PairSettings notConnected() {
        connected = false;
        return this;
    }

    /** Both sides may do all to the other's memory, {@code readsAtOnce} READs and atomics at once. */
    PairSettings rdma(int readsAtOnce) {
        access = EnumSet.of(
                AccessFlag.REMOTE_WRITE,
                AccessFlag.REMOTE_READ,
                AccessFlag.REMOTE_ATOMIC,
                AccessFlag.FLUSH_GLOBAL,
                AccessFlag.FLUSH_PERSISTENT);
        maxRdAtomic = readsAtOnce;
        maxDestRdAtomic = readsAtOnce;
        return this;
    }

    /** Both sides are made with these. */
    PairSettings createFlags(QpCreateFlag... flags) {
        createFlags = flags;
        return this;
    }

    /** What both sides let the other do. */
    PairSettings access(Set<AccessFlag> value) {
        access = value;
        return this;
    }

    /** How many READs and atomics the requester sends at once. */
    PairSettings maxRdAtomic(int value) {
        maxRdAtomic = value;
        return this;
    }

    /** How many READs and atomics the responder serves at once. */
    PairSettings maxDestRdAtomic(int value) {
        maxDestRdAtomic = value;
        return this;
    }

    PairSettings options(TransportOptions value) {
        options = value;
        return this;
    }
}

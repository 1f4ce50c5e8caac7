// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.event.TransportEvents;
import io.rdma4j.wire.Bth;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Counts and traces the received packets that are dropped before they reach a queue pair. For the owner of the port
 * loop only.
 */
public final class InputErrors {
    private final InputCounters counters;
    private final TransportEvents trace;
    private final PortManagement management;
    private final LongSupplier nowNs;
    private final Consumer<Throwable> onFailure;

    /**
     * @param nowNs time of the loop
     * @param onFailure takes the port out of service
     */
    public InputErrors(
            InputCounters counters,
            TransportEvents trace,
            PortManagement management,
            LongSupplier nowNs,
            Consumer<Throwable> onFailure) {
        this.counters = counters;
        this.trace = trace;
        this.management = management;
        this.nowNs = nowNs;
        this.onFailure = onFailure;
    }

    public InputCounters counters() {
        return counters;
    }

    /** Takes the port out of service: the error does not concern the device below or other ports above it. */
    public void fail(Throwable error) {
        onFailure.accept(error);
    }

    public void malformed() {
        counters.malformed++;
        trace.drop(0, 0, 0, "malformed");
    }

    public void noQueuePair(SkBuff skb) {
        counters.noQueuePair++;
        drop(skb, "no queue pair");
    }

    public void wrongType(SkBuff skb) {
        counters.wrongType++;
        drop(skb, "opcode");
    }

    public void wrongAddress(SkBuff skb) {
        counters.wrongAddress++;
        drop(skb, "address");
    }

    public void badPkey(SkBuff skb) {
        drop(skb, "P_Key");
        badPkey(Bth.pkey(skb.memory(), skb.data()));
    }

    /** Counts a packet or a message of another partition, and raises a notice. */
    public void badPkey(int pkey) {
        counters.badPkey++;
        management.badPkey(pkey, nowNs.getAsLong());
    }

    public void badIcrc(SkBuff skb) {
        counters.badIcrc++;
        drop(skb, "ICRC");
    }

    /** Traces a well-formed packet that is not delivered to a queue pair. */
    private void drop(SkBuff skb, String reason) {
        MemorySegment memory = skb.memory();
        long bth = skb.data();
        trace.drop(Bth.destinationQpn(memory, bth), Bth.psn(memory, bth), Bth.opcodeCode(memory, bth), reason);
    }
}

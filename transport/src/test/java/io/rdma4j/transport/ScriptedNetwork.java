// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * The network between two engines: a list of parcels that a test may drop, double, swap or hold before it delivers
 * them.
 */
final class ScriptedNetwork implements AutoCloseable {
    /** What becomes of a train on its way. */
    enum Mode {
        /** It arrives as it was sent, as on a loopback device. */
        WHOLE,
        /** It is cut into packets that own their bytes, as where they leave the host. */
        CUT
    }

    private static final int BUFFERS = 1024;

    private final Mode mode;
    private final SkBuffPool pool = new SkBuffPool(BUFFERS, Endpoint.BUFFER_BYTES);
    private final List<Parcel> inFlight = new ArrayList<>();
    private final List<Parcel> sent = new ArrayList<>();
    private Predicate<Parcel> lost = parcel -> false;

    ScriptedNetwork(Mode mode) {
        this.mode = mode;
    }

    /** Takes over what an engine sends. */
    void carry(SkBuff skb, Endpoint to, int path, long nowNs) {
        if (mode == Mode.WHOLE) {
            post(new Parcel(skb, to, path, nowNs));
            return;
        }
        int packets = skb.shinfo().isGso() ? skb.shinfo().gsoSegs() : 1;
        for (int i = 0; i < packets; i++) {
            post(new Parcel(TrainCutter.packet(skb, i, allocate()), to, path, nowNs));
        }
        skb.free();
    }

    /** Puts a parcel at the end of the line unless it gets lost. */
    void post(Parcel parcel) {
        sent.add(parcel);
        if (lost.test(parcel)) {
            parcel.skb.free();
        } else {
            inFlight.add(parcel);
        }
    }

    /** From now on loses what is sent and fits. */
    void lose(Predicate<Parcel> which) {
        lost = which;
    }

    /** Loses the next parcel that fits, and no other. */
    void loseNext(Predicate<Parcel> which) {
        lost = parcel -> {
            boolean fits = which.test(parcel);
            if (fits) {
                loseNothing();
            }
            return fits;
        };
    }

    void loseNothing() {
        lost = parcel -> false;
    }

    /** What was sent and has not arrived, in the order in which it will arrive. */
    List<Parcel> inFlight() {
        return inFlight;
    }

    /** Everything ever sent, lost or not. */
    List<Parcel> sent() {
        return sent;
    }

    /** Requests sent so far. */
    List<Parcel> requests() {
        return sent.stream().filter(Parcel::isRequest).toList();
    }

    /** Answers sent so far. */
    List<Parcel> responses() {
        return sent.stream().filter(parcel -> !parcel.isRequest()).toList();
    }

    /** Forgets what was sent; what is under way stays. */
    void forgetSent() {
        sent.clear();
    }

    void drop(int index) {
        inFlight.remove(index).skb.free();
    }

    void dropAll() {
        inFlight.forEach(parcel -> parcel.skb.free());
        inFlight.clear();
    }

    /** The parcel arrives a second time, at the end of the line. */
    void duplicate(int index) {
        Parcel parcel = inFlight.get(index);
        parcel.skb.get();
        inFlight.add(parcel);
    }

    /** Delivers the first parcel of the line. */
    void deliverNext(long nowNs) {
        deliver(0, nowNs);
    }

    /** Delivers one parcel before all others. */
    void deliver(int index, long nowNs) {
        Parcel parcel = inFlight.remove(index);
        parcel.to.receive(parcel.skb, parcel.path, nowNs);
        parcel.skb.free();
    }

    /** An empty buffer with headroom. */
    SkBuff allocate() {
        SkBuff skb = pool.allocate();
        if (skb == null) {
            throw new AssertionError("the network is out of buffers");
        }
        skb.reserve(Endpoint.HEADROOM);
        return skb;
    }

    @Override
    public void close() {
        dropAll();
        pool.close();
        if (pool.leaked() != 0) {
            throw new AssertionError(pool.leaked() + " buffers of the network leaked");
        }
    }
}

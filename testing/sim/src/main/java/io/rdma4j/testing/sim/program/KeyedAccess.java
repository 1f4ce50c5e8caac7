// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.program;

import io.rdma4j.testing.sim.world.SimEndpoint;
import io.rdma4j.verbs.FastMemoryRegion;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.WindowBinding;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.MemoryKeys;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WindowType;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * An R_Key that gives access to a whole region: the region's own key, which is always valid, or a window or fast
 * registration. Its owner opens windows and fast registrations by work request, and closes them after their last use.
 * An invalidation by the peer closes them too. Each opening uses another key.
 */
final class KeyedAccess implements AutoCloseable {
    /** How the access is created. */
    enum Kind {
        REGION,
        WINDOW_TYPE_1,
        WINDOW_TYPE_2,
        FAST_REGION;

        /** True if the access permits {@code kind}: the rights of windows do not include FLUSH. */
        boolean serves(StepKind kind) {
            return kind != StepKind.FLUSH || this == REGION || this == FAST_REGION;
        }

        /** True if a SEND of the peer may invalidate its key. */
        boolean isInvalidatedByPeer() {
            return this == WINDOW_TYPE_2 || this == FAST_REGION;
        }
    }

    private enum State {
        CLOSED,
        OPENING,
        OPEN,
        /** All its users have completed. */
        RELEASED,
        CLOSING
    }

    /** Maximum number of pages of a fast registration. */
    static final int MAX_FAST_PAGES = 512;

    private static final int STRANGE_VARIANT = 0x55;
    private static final Set<AccessFlag> WINDOW_RIGHTS =
            Set.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC);
    private static final Set<AccessFlag> ZERO_BASED_RIGHTS =
            Set.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC, AccessFlag.ZERO_BASED);

    private final Kind kind;
    private final ProtectionDomain pd;
    private final MemoryRegion region;
    private final SplittableRandom random;
    private State state;
    private @Nullable MemoryWindow window;
    private @Nullable FastMemoryRegion fast;
    private int key;
    private int staleKey;
    private int keyBefore;
    private long base;
    private int closed;

    /** @param region the accessed region; has MW_BIND for windows */
    KeyedAccess(Kind kind, ProtectionDomain pd, MemoryRegion region, SplittableRandom random) {
        this.kind = kind;
        this.pd = pd;
        this.region = region;
        this.random = random;
        this.state = kind == Kind.REGION ? State.OPEN : State.CLOSED;
        this.key = region.rkey();
        this.base = region.iova();
        make();
    }

    private void make() {
        switch (kind) {
            case REGION -> {}
            case WINDOW_TYPE_1, WINDOW_TYPE_2 -> {
                MemoryWindow made =
                        pd.allocateWindow(kind == Kind.WINDOW_TYPE_1 ? WindowType.TYPE_1 : WindowType.TYPE_2);
                window = made;
                key = made.rkey();
            }
            case FAST_REGION -> {
                FastMemoryRegion made = pd.allocateFastRegion(MAX_FAST_PAGES);
                made.map(List.of(region.segment()));
                fast = made;
                key = made.key();
            }
        }
        staleKey = MemoryKeys.withVariant(key, key + STRANGE_VARIANT);
    }

    /** True if the access is open and was closed {@code closedBefore} times before. */
    boolean isOpen(int closedBefore) {
        return state == State.OPEN && closed == closedBefore;
    }

    Kind kind() {
        return kind;
    }

    /** The L_Key and R_Key. */
    int key() {
        return key;
    }

    /** A key that is invalid: an earlier one, or one that never existed. */
    int staleKey() {
        return staleKey;
    }

    /** Address that requests use for the byte at {@code offset}. */
    long address(long offset) {
        return base + offset;
    }

    long lengthBytes() {
        return region.lengthBytes();
    }

    /** True if its owner must open or close it. */
    boolean hasKeyWork() {
        return state == State.CLOSED || state == State.RELEASED;
    }

    /** Posts the request that opens or closes it, signalled. */
    void postKeyWork(QueuePair qp, long wrId) {
        keyBefore = key;
        if (state == State.RELEASED) {
            closed++;
        }
        if (kind == Kind.WINDOW_TYPE_1) {
            bind(qp, wrId);
        } else if (state == State.RELEASED) {
            qp.startSend().wrId(wrId).signaled().localInvalidate(key).complete();
            state = State.CLOSING;
        } else {
            open(qp, wrId);
        }
    }

    /**
     * Binds a type 1 window, which needs no invalidation before another bind. A bind after release sometimes has length
     * 0, which closes the window.
     */
    private void bind(QueuePair qp, long wrId) {
        boolean opens = state == State.CLOSED || random.nextBoolean();
        MemoryWindow made = window;
        if (made == null) {
            throw new IllegalStateException("no window");
        }
        WindowBinding binding = WindowBinding.none();
        if (opens) {
            boolean zeroBased = random.nextBoolean();
            base = zeroBased ? 0 : region.iova();
            binding = WindowBinding.of(
                    region, region.iova(), region.lengthBytes(), zeroBased ? ZERO_BASED_RIGHTS : WINDOW_RIGHTS);
        }
        key = made.bind(qp, wrId, Set.of(SendFlag.SIGNALED), binding);
        state = opens ? State.OPENING : State.CLOSING;
    }

    private void open(QueuePair qp, long wrId) {
        key = MemoryKeys.next(key);
        MemoryWindow madeWindow = window;
        FastMemoryRegion madeRegion = fast;
        if (madeWindow != null) {
            boolean zeroBased = random.nextBoolean();
            base = zeroBased ? 0 : region.iova();
            int rights = AccessFlag.mask(zeroBased ? ZERO_BASED_RIGHTS : WINDOW_RIGHTS);
            qp.startSend()
                    .wrId(wrId)
                    .signaled()
                    .bindWindow(madeWindow, key, region, region.iova(), region.lengthBytes(), rights)
                    .complete();
        } else if (madeRegion != null) {
            base = madeRegion.iova();
            qp.startSend()
                    .wrId(wrId)
                    .signaled()
                    .registerMemory(madeRegion, key, AccessFlag.mask(SimEndpoint.REMOTE_RIGHTS))
                    .complete();
        }
        state = State.OPENING;
    }

    /** Completion opcode of the outstanding key request. */
    WcOpcode keyWorkOpcode() {
        if (kind == Kind.WINDOW_TYPE_1 || kind == Kind.WINDOW_TYPE_2 && state == State.OPENING) {
            return WcOpcode.BIND_MW;
        }
        return state == State.OPENING ? WcOpcode.REG_MR : WcOpcode.LOCAL_INV;
    }

    void onKeyWorkDone() {
        staleKey = keyBefore;
        state = state == State.OPENING ? State.OPEN : State.CLOSED;
    }

    /** Handles a flushed key request. The device may have executed it, so a new object replaces the old one. */
    void onKeyWorkFlushed() {
        closeObjects();
        make();
        state = State.CLOSED;
    }

    /** Handles the completion of the last request that may use it. */
    void release() {
        state = State.RELEASED;
    }

    /** Handles the invalidation of its key by a request. */
    void onInvalidated() {
        staleKey = key;
        closed++;
        state = State.CLOSED;
    }

    private void closeObjects() {
        if (window != null) {
            window.close();
        }
        if (fast != null) {
            fast.close();
        }
    }

    @Override
    public void close() {
        closeObjects();
    }

    @Override
    public String toString() {
        return kind + " " + state;
    }
}

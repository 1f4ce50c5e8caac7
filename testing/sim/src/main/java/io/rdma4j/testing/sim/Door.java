package io.rdma4j.testing.sim;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.FastMemoryRegion;
import io.rdma4j.verbs.MemoryKeys;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SendFlag;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WindowBinding;
import io.rdma4j.verbs.WindowType;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A way to all the memory of a region: its own key, which is always good, or a window or fast registration, which its owner
 * opens by work request, and closes when it is no longer needed, or sees closed by an invalidation, and opens again under
 * another key.
 */
final class Door implements AutoCloseable {
    /** How it is made. */
    enum Kind {
        REGION,
        WINDOW_TYPE_1,
        WINDOW_TYPE_2,
        FAST_REGION;

        /** What a window of rights for all does not have. */
        boolean serves(StepKind kind) {
            return kind != StepKind.FLUSH || this == REGION || this == FAST_REGION;
        }

        /** True if the peer's SEND may take back its key. */
        boolean isInvalidatedByPeer() {
            return this == WINDOW_TYPE_2 || this == FAST_REGION;
        }
    }

    private enum State {
        CLOSED,
        OPENING,
        OPEN,
        /** Nobody uses it any more. */
        RELEASED,
        CLOSING
    }

    /** Pages that a fast registration may have. */
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

    /** @param region to which it leads; with MW_BIND for windows */
    Door(Kind kind, ProtectionDomain pd, MemoryRegion region, SplittableRandom random) {
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

    /** True while requests that know how often it was closed may use it. */
    boolean isOpen(int closedBefore) {
        return state == State.OPEN && closed == closedBefore;
    }

    Kind kind() {
        return kind;
    }

    /** Local and remote. */
    int key() {
        return key;
    }

    /** A key that was good once, or never. */
    int staleKey() {
        return staleKey;
    }

    /** What requests call the byte at {@code offset}. */
    long address(long offset) {
        return base + offset;
    }

    long lengthBytes() {
        return region.lengthBytes();
    }

    /** True if its owner has to do something. */
    boolean hasChore() {
        return state == State.CLOSED || state == State.RELEASED;
    }

    /** Posts what is to be done, signalled. */
    void postChore(QueuePair qp, long wrId) {
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

    /** One of type 1 is bound again and again; now and then it shows nothing in between. */
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
                    .registerMemory(madeRegion, key, AccessFlag.mask(ProgramMemory.REMOTE_RIGHTS))
                    .complete();
        }
        state = State.OPENING;
    }

    /** What the chore under way completes as. */
    WcOpcode choreOpcode() {
        if (kind == Kind.WINDOW_TYPE_1 || kind == Kind.WINDOW_TYPE_2 && state == State.OPENING) {
            return WcOpcode.BIND_MW;
        }
        return state == State.OPENING ? WcOpcode.REG_MR : WcOpcode.LOCAL_INV;
    }

    void onChoreDone() {
        staleKey = keyBefore;
        state = state == State.OPENING ? State.OPEN : State.CLOSED;
    }

    /** The chore under way was flushed. It may have been carried out all the same, so there is a new door in its place. */
    void onChoreFlushed() {
        closeObjects();
        make();
        state = State.CLOSED;
    }

    /** The last request of those that may use it has come back. */
    void release() {
        state = State.RELEASED;
    }

    /** Its key was taken back by a request. */
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

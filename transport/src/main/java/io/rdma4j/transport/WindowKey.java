package io.rdma4j.transport;

import org.jspecify.annotations.Nullable;

/**
 * A memory window: a part of a region with a key and rights of its own, for the peer only. Answers to {@code rxe_mw}.
 *
 * <p>One of type 1 is bound and bound again; one of type 2 is bound to the queue pair that binds it, whose peer alone may use
 * it, and must be invalidated before it is bound again. The protection domain is checked as well as the queue pair: such windows are
 * of type 2B.
 */
public final class WindowKey extends MemoryKey {
    private final boolean typeTwo;
    private @Nullable RegionKey region;
    private @Nullable Object queuePair;
    private long start;
    private long length;
    private long regionStart;

    WindowKey(int key, Object protectionDomain, boolean typeTwo) {
        super(key, protectionDomain);
        this.typeTwo = typeTwo;
    }

    boolean isTypeTwo() {
        return typeTwo;
    }

    /** Shows {@code bytes} bytes of {@code below} from {@code address} on; {@code zeroBased}: to the peer they begin at 0. */
    void bind(@Nullable RegionKey below, long address, long bytes, boolean zeroBased, Object by) {
        unbind();
        region = below;
        queuePair = typeTwo ? by : null;
        start = zeroBased ? 0 : address;
        regionStart = address;
        length = bytes;
        if (below != null) {
            below.addWindow();
        }
    }

    /** Shows nothing any more. */
    void unbind() {
        RegionKey below = region;
        if (below != null) {
            below.removeWindow();
        }
        region = null;
        queuePair = null;
        length = 0;
        setInvalid();
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // a queue pair is itself: its number may be given to another one
    boolean isOpenTo(Object peerOf) {
        return !typeTwo || queuePair == peerOf;
    }

    @Override
    boolean contains(long address, long bytes) {
        return region != null && isWithin(address, bytes, start, length);
    }

    @Override
    long start() {
        return start;
    }

    @Override
    long length() {
        return length;
    }

    @Override
    @Nullable
    RegionKey region() {
        return region;
    }

    @Override
    long toRegion(long address) {
        return address - start + regionStart;
    }
}

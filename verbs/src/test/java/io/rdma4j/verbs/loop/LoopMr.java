// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.loop;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.spi.MrOps;
import io.rdma4j.verbs.spi.PdOps;
import io.rdma4j.verbs.values.MrInitAttributes;
import java.lang.foreign.MemorySegment;

/**
 * A region with one key for local and remote use and one segment, which is sufficient for the tests of this package.
 */
final class LoopMr implements MrOps {
    private final LoopDevice device;
    private LoopPd pd;
    private MemorySegment segment;
    private long iova;
    private final int key;

    LoopMr(LoopDevice device, LoopPd pd, MemorySegment segment, long iova) {
        this.device = device;
        this.pd = pd;
        this.segment = segment;
        this.iova = iova;
        this.key = device.add(this);
    }

    /** The memory of an element; null if the region is of another domain or the range exceeds it. */
    MemorySegment slice(LoopPd user, long address, int length) {
        long offset = address - iova;
        boolean inside = length <= segment.byteSize() && offset >= 0 && offset <= segment.byteSize() - length;
        return user == pd && inside ? segment.asSlice(offset, length) : null;
    }

    @Override
    public int lkey() {
        return key;
    }

    @Override
    public int rkey() {
        return key;
    }

    @Override
    public void reregister(PdOps newPd, MrInitAttributes attributes) {
        refuseIfBound();
        device.asked(attributes.access());
        pd = (LoopPd) newPd;
        segment = attributes.pieces().getFirst();
        iova = attributes.iova();
    }

    private void refuseIfBound() {
        if (device.isBound(this)) {
            throw new RdmaException(Errno.EBUSY, "a memory window is bound to the region");
        }
    }

    @Override
    public void close() {
        refuseIfBound();
        device.remove(this);
    }
}

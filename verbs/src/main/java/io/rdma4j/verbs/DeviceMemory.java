// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.Arguments;
import io.rdma4j.verbs.core.Lifecycle;
import io.rdma4j.verbs.core.ObjectKind;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.spi.DmOps;
import java.lang.foreign.MemorySegment;

/**
 * Memory of the device. The application cannot address it. It copies data to and from it, and registers parts of it
 * with {@link ProtectionDomain#registerDeviceMemory}. Corresponds to {@code struct ibv_dm}.
 *
 * <p>Any thread. The caller of {@link Context#allocateDeviceMemory} closes the memory, after its regions.
 */
public final class DeviceMemory implements AutoCloseable {
    private static final int MAX_LOG_ALIGNMENT = 30;

    private final Context context;
    private final long lengthBytes;
    private final DmOps ops;
    private final Lifecycle life;

    private DeviceMemory(Context context, long lengthBytes, int logAlignment) {
        this.context = context;
        this.lengthBytes = lengthBytes;
        this.ops = context.ops().allocateDeviceMemory(lengthBytes, 1L << logAlignment);
        this.life = new Lifecycle(ObjectKind.DEVICE_MEMORY + " " + context.nextHandle(), context.life());
    }

    /** See {@link Context#allocateDeviceMemory}. */
    static DeviceMemory create(Context context, long lengthBytes, int logAlignment) {
        context.admission().require(DeviceLimit.MAX_DM_SIZE);
        Arguments.range("length", lengthBytes, 1, context.queryDevice().limit(DeviceLimit.MAX_DM_SIZE));
        Arguments.atMost("log_align_req", logAlignment, MAX_LOG_ALIGNMENT);
        return context.life()
                .admit(ObjectKind.DEVICE_MEMORY, () -> new DeviceMemory(context, lengthBytes, logAlignment));
    }

    /** {@return the context that the memory was created from} */
    public Context context() {
        return context;
    }

    /** {@return the length in bytes, as requested} */
    public long lengthBytes() {
        return lengthBytes;
    }

    /**
     * Copies all of {@code source} to the device memory. Corresponds to {@code ibv_memcpy_to_dm}.
     *
     * @param offset offset of the first byte in the device memory
     * @param source any memory; read only during the call
     * @throws RdmaException EINVAL if the range exceeds the device memory
     */
    public void write(long offset, MemorySegment source) {
        Arguments.present("source", source);
        checkRange(offset, source.byteSize());
        ops.write(offset, source);
    }

    /**
     * Fills all of {@code target} from the device memory. Corresponds to {@code ibv_memcpy_from_dm}.
     *
     * @param offset offset of the first byte in the device memory
     * @param target any writable memory; written only during the call
     * @throws RdmaException EINVAL if the range exceeds the device memory
     */
    public void read(long offset, MemorySegment target) {
        Arguments.present("target", target);
        checkRange(offset, target.byteSize());
        ops.read(offset, target);
    }

    /** @throws RdmaException EINVAL unless the range is within the memory, or if it is closed */
    void checkRange(long offset, long length) {
        life.checkOpen();
        Arguments.within(this, offset, length, lengthBytes);
    }

    Lifecycle life() {
        return life;
    }

    DmOps ops() {
        return ops;
    }

    /**
     * Frees the memory. Idempotent. Corresponds to {@code ibv_free_dm}.
     *
     * @throws RdmaException EBUSY while a region of it is open
     */
    @Override
    public void close() {
        if (life.close(ops::close)) {
            context.life().release(ObjectKind.DEVICE_MEMORY);
        }
    }

    @Override
    public String toString() {
        return life.name();
    }
}

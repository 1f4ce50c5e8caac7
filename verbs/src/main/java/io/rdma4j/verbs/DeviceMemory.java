package io.rdma4j.verbs;

import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.spi.DmOps;
import java.lang.foreign.MemorySegment;

/**
 * Memory that belongs to the device: the program has no address of it, but copies to it and from it, and registers parts of it
 * ({@link ProtectionDomain#registerDeviceMemory}). Answers to {@code struct ibv_dm}.
 *
 * <p>Any thread may call. The caller of {@link Context#allocateDeviceMemory} closes it, after its regions.
 */
public final class DeviceMemory implements AutoCloseable {
    private final Context context;
    private final long lengthBytes;
    private final DmOps ops;
    private final Lifecycle life;

    DeviceMemory(Context context, int handle, long lengthBytes, DmOps ops) {
        this.context = context;
        this.lengthBytes = lengthBytes;
        this.ops = ops;
        this.life = new Lifecycle(ObjectKind.DEVICE_MEMORY + " " + handle, context.life());
    }

    /** {@return the context it was made from} */
    public Context context() {
        return context;
    }

    /** {@return its bytes, as many as were asked for} */
    public long lengthBytes() {
        return lengthBytes;
    }

    /**
     * Copies all of {@code source} to it. Answers to {@code ibv_memcpy_to_dm}.
     *
     * @param offset of the first byte here
     * @param source any memory; the device reads it during the call only
     * @throws RdmaException EINVAL if it does not fit
     */
    public void write(long offset, MemorySegment source) {
        Arguments.present("source", source);
        checkRange(offset, source.byteSize());
        ops.write(offset, source);
    }

    /**
     * Fills all of {@code target} from it. Answers to {@code ibv_memcpy_from_dm}.
     *
     * @param offset of the first byte here
     * @param target any writable memory; the device writes it during the call only
     * @throws RdmaException EINVAL if there is not as much
     */
    public void read(long offset, MemorySegment target) {
        Arguments.present("target", target);
        checkRange(offset, target.byteSize());
        ops.read(offset, target);
    }

    /** @throws RdmaException EINVAL unless the range is inside, or if it is closed */
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
     * Gives it back. Idempotent. Answers to {@code ibv_free_dm}.
     *
     * @throws RdmaException EBUSY while a region is open on it
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

package io.rdma4j.verbs.spi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AddressVector;
import io.rdma4j.verbs.FmrAttributes;
import io.rdma4j.verbs.MrInitAttributes;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.SrqInitAttributes;
import io.rdma4j.verbs.WindowType;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A protection domain. Any thread may call. */
public interface PdOps extends AutoCloseable {
    /**
     * Answers to {@code ibv_reg_mr_ex}.
     *
     * @param attributes pieces are native, not empty, alive, accessible from every thread, and meet at page borders; iova +
     *     length does not wrap; the rights are consistent with themselves and with the memory
     * @return what the core makes a memory region of
     * @throws RdmaException EOPNOTSUPP for rights that the provider cannot give
     */
    MrOps registerMemory(MrInitAttributes attributes);

    /**
     * {@return a region of all that is mapped now and later, at the addresses that {@link ContextOps#mapDma} gave}
     * Answers to {@code ib_get_dma_mr}.
     *
     * @param access local writes and remote rights
     */
    default MrOps registerDma(Set<AccessFlag> access) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device has no DMA regions");
    }

    /**
     * {@return a region whose addresses begin at 0} Answers to {@code ibv_reg_dm_mr}.
     *
     * @param memory what the provider made
     * @param offset of the first byte in it; offset + length is inside
     * @param length bytes, at least 1
     * @param access consistent with itself
     */
    default MrOps registerDeviceMemory(DmOps memory, long offset, long length, Set<AccessFlag> access) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device has no memory of its own");
    }

    /**
     * {@return a queue pair in RESET} Answers to {@code ibv_create_qp}.
     *
     * @param attributes sizes are within the device's limits; what the type does not have is null or 0
     * @param resources what the provider made for the objects that {@code attributes} names
     * @param events where events of the queue pair are to be told
     * @throws RdmaException EOPNOTSUPP for a type the provider has not, EINVAL for too much inline data
     */
    QpOps createQp(QpInitAttributes attributes, QpResources resources, QpEvents events);

    /**
     * Answers to {@code ibv_create_srq}.
     *
     * @param attributes sizes are within the device's limits
     * @param xrcDomain what the provider made for {@code attributes.xrcDomain()}; null unless the type is XRC
     * @param cq what the provider made for {@code attributes.cq()}; null unless the type is XRC
     * @param events where events of the queue are to be told
     * @return what the core makes a shared receive queue of
     */
    default SrqOps createSrq(
            SrqInitAttributes attributes, @Nullable XrcdOps xrcDomain, @Nullable CqOps cq, SrqEvents events) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device has no shared receive queues");
    }

    /**
     * {@return a receive queue in RESET} Answers to {@code ibv_create_wq} with {@code IBV_WQT_RQ}; called only if the
     * device has {@link io.rdma4j.verbs.DeviceLimit#MAX_WQ_TYPE_RQ}.
     *
     * @param cq where its receives complete
     * @param maxWr requests it must hold at least, within the device's limit
     * @param maxSge pieces of memory a request may have at least, within the device's limit
     */
    default WqOps createWorkQueue(CqOps cq, int maxWr, int maxSge) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device has no receive queues for indirection tables");
    }

    /**
     * Answers to {@code ibv_create_ah}.
     *
     * @param vector from a port and a GID that are there
     * @return what the core makes an address handle of
     */
    default AhOps createAddressHandle(AddressVector vector) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device has no address handles");
    }

    /**
     * {@return a window that is not bound to anything} Answers to {@code ibv_alloc_mw}.
     *
     * @param type one that the device has
     */
    default MwOps allocateWindow(WindowType type) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device has no memory windows");
    }

    /**
     * {@return a region that is not registered} Answers to {@code ib_alloc_mr}.
     *
     * @param maxPages within the device's limit
     */
    default FastMrOps allocateFastRegion(int maxPages) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device registers no memory by work request");
    }

    /**
     * {@return a region that shows nothing} Answers to {@code ib_alloc_fmr}; called only if the device has
     * {@link io.rdma4j.verbs.DeviceLimit#MAX_FMR}.
     *
     * @param attributes within the device's limits
     * @param access that its keys give; consistent with itself
     */
    default FmrOps allocateFmr(FmrAttributes attributes, Set<AccessFlag> access) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device has no FMRs");
    }

    /** {@code ibv_dealloc_pd}; its regions and queue pairs have been closed. */
    @Override
    void close();
}

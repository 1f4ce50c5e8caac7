// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.FmrAttributes;
import io.rdma4j.verbs.values.MrInitAttributes;
import io.rdma4j.verbs.wr.WindowType;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The provider's part of a protection domain. Any thread. */
public interface PdOps extends AutoCloseable {
    /**
     * Registers memory. Corresponds to {@code ibv_reg_mr_ex}.
     *
     * @param attributes segments are native, not empty, alive, accessible from every thread, and meet at page
     *     boundaries; iova + length does not wrap; the rights are consistent and the memory allows them
     * @return the provider's part of the region
     * @throws RdmaException EOPNOTSUPP for rights that the provider does not support
     */
    MrOps registerMemory(MrInitAttributes attributes);

    /**
     * {@return a region of all memory that is mapped now and later, at the addresses of {@link ContextOps#mapDma}}
     * Corresponds to {@code ib_get_dma_mr}.
     *
     * @param access local writes and remote rights
     */
    default MrOps registerDma(Set<AccessFlag> access) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device has no DMA regions");
    }

    /**
     * {@return a region of device memory whose addresses begin at 0} Corresponds to {@code ibv_reg_dm_mr}.
     *
     * @param memory device memory of this provider
     * @param offset of the first byte; the core has checked offset + length
     * @param length bytes, at least 1
     * @param access consistent rights
     */
    default MrOps registerDeviceMemory(DmOps memory, long offset, long length, Set<AccessFlag> access) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device has no memory of its own");
    }

    /**
     * {@return a queue pair in RESET} Corresponds to {@code ibv_create_qp}.
     *
     * @param attributes sizes within the device's limits; attributes that the type does not have are null or 0
     * @param resources the provider's parts of the objects in {@code attributes}
     * @param events callbacks for events of the queue pair
     * @throws RdmaException EOPNOTSUPP for a type that the provider does not support, EINVAL for too much inline data
     */
    QpOps createQp(QpSetup attributes, QpResources resources, QpEvents events);

    /**
     * Creates a shared receive queue. Corresponds to {@code ibv_create_srq}.
     *
     * @param attributes sizes within the device's limits
     * @param xrcDomain the provider's part of {@code attributes.xrcDomain()}; null unless the type is XRC
     * @param cq the provider's part of {@code attributes.cq()}; null unless the type is XRC
     * @param events callbacks for events of the queue
     * @return the provider's part of the queue
     */
    default SrqOps createSrq(SrqSetup attributes, @Nullable XrcdOps xrcDomain, @Nullable CqOps cq, SrqEvents events) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device has no shared receive queues");
    }

    /**
     * {@return a receive work queue in RESET} Corresponds to {@code ibv_create_wq} with {@code IBV_WQT_RQ}; called only
     * if the device has {@link io.rdma4j.verbs.device.DeviceLimit#MAX_WQ_TYPE_RQ}.
     *
     * @param cq completion queue of its receives
     * @param maxWr minimum capacity in requests, within the device's limit
     * @param maxSge minimum capacity of a request in scatter/gather elements, within the device's limit
     */
    default WqOps createWorkQueue(CqOps cq, int maxWr, int maxSge) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device has no receive queues for indirection tables");
    }

    /**
     * Creates an address handle. Corresponds to {@code ibv_create_ah}.
     *
     * @param vector checked: its port and its GID exist
     * @return the provider's part of the address handle
     */
    default AhOps createAddressHandle(AddressVector vector) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device has no address handles");
    }

    /**
     * {@return an unbound window} Corresponds to {@code ibv_alloc_mw}.
     *
     * @param type a type that the device supports
     */
    default MwOps allocateWindow(WindowType type) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device has no memory windows");
    }

    /**
     * {@return a region without memory, for registration by work request} Corresponds to {@code ib_alloc_mr}.
     *
     * @param maxPages within the device's limit
     */
    default FastMrOps allocateFastRegion(int maxPages) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device registers no memory by work request");
    }

    /**
     * {@return an FMR that is not mapped} Corresponds to {@code ib_alloc_fmr}; called only if the device has
     * {@link io.rdma4j.verbs.device.DeviceLimit#MAX_FMR}.
     *
     * @param attributes within the device's limits
     * @param access consistent rights of its keys
     */
    default FmrOps allocateFmr(FmrAttributes attributes, Set<AccessFlag> access) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device has no FMRs");
    }

    /** Frees the domain. Corresponds to {@code ibv_dealloc_pd}; the core has closed its regions and queue pairs. */
    @Override
    void close();
}

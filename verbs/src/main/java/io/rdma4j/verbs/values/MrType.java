// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.values;

/** Kinds of memory regions. Correspond to {@code enum ib_mr_type}. */
public enum MrType {
    /** Memory of the application, registered by a call ({@code IBV_MR_TYPE_MR}, {@code IB_MR_TYPE_USER}). */
    USER,
    /**
     * Memory of the application, registered by a work request ({@code IB_MR_TYPE_MEM_REG}): a {@link
     * io.rdma4j.verbs.FastMemoryRegion}.
     */
    MEM_REG,
    /**
     * All memory of the application that is mapped for the device ({@code IB_MR_TYPE_DMA}), see {@link
     * io.rdma4j.verbs.kernel.DmaMapping}.
     */
    DMA,
    /** Device memory ({@code IB_MR_TYPE_DM}): a part of a {@link io.rdma4j.verbs.DeviceMemory}. */
    DM
}

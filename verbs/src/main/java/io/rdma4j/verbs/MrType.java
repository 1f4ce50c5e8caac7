package io.rdma4j.verbs;

/** What a region is made of. Answers to {@code enum ib_mr_type}. */
public enum MrType {
    /** Memory of the program, registered by call ({@code IBV_MR_TYPE_MR}, {@code IB_MR_TYPE_USER}). */
    USER,
    /** Memory of the program, registered by work request ({@code IB_MR_TYPE_MEM_REG}): a {@link FastMemoryRegion}. */
    MEM_REG,
    /** Whatever memory of the program is mapped for the device ({@code IB_MR_TYPE_DMA}), see {@link DmaMapping}. */
    DMA,
    /** Memory of the device ({@code IB_MR_TYPE_DM}): part of a {@link DeviceMemory}. */
    DM
}

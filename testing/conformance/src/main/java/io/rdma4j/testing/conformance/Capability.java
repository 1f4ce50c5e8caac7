package io.rdma4j.testing.conformance;

/** What a device may do without, and no attribute of it tells. */
public enum Capability {
    /** Messages go on while all threads of the program sleep; a simulation in virtual time cannot do that. */
    UNATTENDED_PROGRESS,
    /** A port reaches queue pairs of its own. */
    SELF_TALK,
    /** Raw queue pairs may be made that carry Ethernet frames. */
    RAW_FRAMES,
    /** Completion queues can be resized. */
    CQ_RESIZE,
    /** Memory can be mapped for the device, and there are regions of all that is. */
    DMA_REGIONS,
    /** Registered regions can be given other memory, rights and domains. */
    REREGISTRATION,
    /** A region may consist of several pieces of memory. */
    SCATTERED_REGIONS,
    /** Regions can be registered with {@link io.rdma4j.verbs.AccessFlag#ON_DEMAND}. */
    ON_DEMAND_PAGING
}

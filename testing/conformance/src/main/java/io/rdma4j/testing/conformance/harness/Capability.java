// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.harness;

/** An optional feature of a device that no attribute reports. */
public enum Capability {
    /** Messages are transferred while all threads of the program sleep; a simulation in virtual time cannot do that. */
    UNATTENDED_PROGRESS,
    /** Queue pairs of one port can reach each other. */
    SELF_TALK,
    /** Raw queue pairs for Ethernet frames can be created. */
    RAW_FRAMES,
    /** Completion queues can be resized. */
    CQ_RESIZE,
    /** Memory can be mapped for the device, and a DMA region covers all mapped memory. */
    DMA_REGIONS,
    /** Memory, rights and domain of a registered region can be changed. */
    REREGISTRATION,
    /** A region may consist of several memory segments. */
    SCATTERED_REGIONS,
    /** Regions can be registered with {@link io.rdma4j.verbs.values.AccessFlag#ON_DEMAND}. */
    ON_DEMAND_PAGING
}

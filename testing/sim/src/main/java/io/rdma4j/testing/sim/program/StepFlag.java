// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.program;

/** Properties of a step besides its operation. */
enum StepFlag {
    /** Its bytes are copied while posting. */
    INLINE,
    /** It is marked as solicited. */
    SOLICITED,
    /** It waits for earlier READs and atomics. */
    FENCED,
    /** Its bytes are the result of an earlier READ. */
    FORWARDS,
    /** After its completion the owner of the memory closes the access. */
    CLOSES
}

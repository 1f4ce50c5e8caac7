// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

import io.rdma4j.base.Gid;
import io.rdma4j.verbs.device.PhysicalState;
import io.rdma4j.verbs.device.PortCapability;
import io.rdma4j.verbs.device.PortInfo;
import io.rdma4j.verbs.device.PortState;
import java.util.Set;

/**
 * The settings that management writes to a port. They outlive the port, which exists only while the device is open.
 *
 * @param info without the two states, which the port determines
 * @param announced capabilities that programs have set
 * @param shutDown whether the port was shut down
 */
public record PortSettings(PortInfo info, Set<PortCapability> announced, boolean shutDown) {
    private static final PortInfo NOBODY_WROTE = new PortInfo(
            PortState.NOP, PhysicalState.LINK_UP, 0, Gid.LINK_LOCAL_PREFIX, 0, 0, 0, 0, 0, 0, 0, false, false);

    /** Settings of a port before the first change. */
    public static final PortSettings FIRST = new PortSettings(NOBODY_WROTE, Set.of(), false);
}

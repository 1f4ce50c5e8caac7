// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

import java.util.List;

/**
 * The network interfaces over ports of a device that another process serves, where the operating system does not know
 * them: an {@linkplain ContextOps#extension extension} of its contexts. Any thread.
 */
public interface HostInterfaces {
    /**
     * {@return the interfaces at this moment}
     *
     * @throws io.rdma4j.base.RdmaException EIO if the other process has ended
     */
    List<PortInterface> interfaces();
}

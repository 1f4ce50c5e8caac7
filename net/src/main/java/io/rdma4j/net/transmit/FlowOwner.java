// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.transmit;

/** An owner of packets that form one flow: all of them use one transmit queue of a device. */
public interface FlowOwner {
    /** {@return the flow's transmit queue, always the same object} Allocates nothing. */
    FlowQueue flowQueue();
}

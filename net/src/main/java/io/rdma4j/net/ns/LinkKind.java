// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.ns;

import io.rdma4j.net.NetDevice;
import java.util.List;
import java.util.Map;

/**
 * One kind of software link: creates, changes and deletes its devices ({@code rtnl_link_ops}). A kind has no state: one
 * object serves all machines.
 *
 * <p>A kind for every machine is a service: its module declares {@code provides LinkKind}. Other kinds are registered
 * with {@link LinkKinds#register}. All methods are called under the RTNL lock. Each may throw an
 * {@link io.rdma4j.base.RdmaException} to reject the request.
 */
public interface LinkKind {
    /** {@return the name of the kind, such as {@code vlan} ({@code kind})} */
    String name();

    /** {@return default number of transmit queues ({@code get_num_tx_queues})} */
    default int txQueues() {
        return 1;
    }

    /** {@return default number of receive queues ({@code get_num_rx_queues})} */
    default int rxQueues() {
        return 1;
    }

    /**
     * Creates a device for a request, without registration ({@code rtnl_create_link}, {@code setup}). If the request
     * has no name, the kind uses its own pattern.
     *
     * @param request the requested properties
     * @return the device
     */
    NetDevice setup(LinkRequest request);

    /**
     * Configures a device that {@link #setup} created, and registers it ({@code newlink}).
     *
     * @param request the requested properties
     * @param device the result of {@link #setup}
     */
    default void newlink(LinkRequest request, NetDevice device) {
        request.namespace().register(device);
    }

    /**
     * Changes parameters of a device of this kind ({@code changelink}). By default there are none.
     *
     * @param device a device of this kind
     * @param attributes the new values by name, as in {@link LinkRequest#attributes}
     */
    default void changelink(NetDevice device, Map<String, String> attributes) {
        if (!attributes.isEmpty()) {
            throw LinkKinds.unknownAttributes(this, attributes);
        }
    }

    /**
     * Deletes a device of this kind ({@code dellink}): adds it and all devices that depend on it to the list. The
     * caller unregisters them after the return.
     *
     * @param device a device of this kind
     * @param unregister devices that will be unregistered together
     */
    default void dellink(NetDevice device, List<NetDevice> unregister) {
        unregister.add(device);
    }
}

package io.rdma4j.net.ns;

import io.rdma4j.net.NetDevice;
import java.util.List;
import java.util.Map;

/**
 * One kind of software link: how devices of it are made, changed and taken away ({@code rtnl_link_ops}). A kind has no state:
 * one object serves all machines.
 *
 * <p>A kind that is to be known on every machine is a service: its module says {@code provides LinkKind}. Others are
 * registered with {@link LinkKinds#register}. All methods are called under the lock of the host; each may refuse by an {@link
 * io.rdma4j.base.RdmaException}.
 */
public interface LinkKind {
    /** {@return what users call it, such as {@code vlan} ({@code kind})} */
    String name();

    /** {@return transmit queues of a device if the user does not say ({@code get_num_tx_queues})} */
    default int txQueues() {
        return 1;
    }

    /** {@return receive queues of a device if the user does not say ({@code get_num_rx_queues})} */
    default int rxQueues() {
        return 1;
    }

    /**
     * Makes a device as asked for, not registered ({@code rtnl_create_link}, {@code setup}). A request without a name means a
     * pattern of the kind's own.
     *
     * @param request what there shall be
     * @return the device
     */
    NetDevice setup(LinkRequest request);

    /**
     * Configures a device that {@link #setup} made, and registers it ({@code newlink}).
     *
     * @param request what there shall be
     * @param device what {@link #setup} made
     */
    default void newlink(LinkRequest request, NetDevice device) {
        request.namespace().register(device);
    }

    /**
     * Changes parameters of a device of this kind ({@code changelink}); by default there are none.
     *
     * @param device of this kind
     * @param attributes the new values by name, as in {@link LinkRequest#attributes}
     */
    default void changelink(NetDevice device, Map<String, String> attributes) {
        if (!attributes.isEmpty()) {
            throw LinkKinds.unknownAttributes(this, attributes);
        }
    }

    /**
     * Takes a device of this kind away ({@code dellink}): all that must go with it is added to the list, and unregistered when
     * this returns.
     *
     * @param device of this kind
     * @param unregister devices that will be unregistered together
     */
    default void dellink(NetDevice device, List<NetDevice> unregister) {
        unregister.add(device);
    }
}

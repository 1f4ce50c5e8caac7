// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.management;

import java.util.Map;

/**
 * Management attributes of a device, registered as {@code io.rdma4j:type=Device,name=NAME}. Each read queries the
 * device. A provider may return slightly older values for an open device.
 */
public interface RdmaDeviceMXBean {
    /** {@return the name of the device} */
    String getName();

    /** {@return the GUID of the node, four groups of four hexadecimal digits} */
    String getNodeGuid();

    /** {@return false once the device is removed} */
    boolean isPresent();

    /** {@return number of contexts of this process for the device} */
    int getOpenContexts();

    /** {@return the state of port 1, such as {@code ACTIVE}; empty while this process has no context of the device} */
    String getPortState();

    /**
     * {@return the counters of port 1 with the names of Linux {@code hw_counters}; empty while this process has no
     * context of the device}
     */
    Map<String, Long> getCounters();

    /**
     * {@return the number of open objects of this process for each kind of {@code rdma resource}: {@code pd},
     * {@code cq}, {@code qp}, {@code mr} …}
     */
    Map<String, Integer> getResources();
}

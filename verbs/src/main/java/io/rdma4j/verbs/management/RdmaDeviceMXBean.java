package io.rdma4j.verbs.management;

import java.util.Map;

/**
 * What a management console shows of a device, as {@code io.rdma4j:type=Device,name=NAME}. Values are read when they are asked for; those of an open
 * device may be a little old.
 */
public interface RdmaDeviceMXBean {
    /** {@return the name of the device} */
    String getName();

    /** {@return the GUID of the node, four groups of four hexadecimal digits} */
    String getNodeGuid();

    /** {@return false once the device is gone} */
    boolean isPresent();

    /** {@return how many contexts of this process have the device open} */
    int getOpenContexts();

    /** {@return the state of port 1, such as {@code ACTIVE}; empty while this process has not opened the device} */
    String getPortState();

    /** {@return the counters of port 1 by the names of Linux' {@code hw_counters}; empty while this process has not opened the device} */
    Map<String, Long> getCounters();

    /** {@return the live objects of this process by the kinds of {@code rdma resource}: {@code pd}, {@code cq}, {@code qp}, {@code mr} …} */
    Map<String, Integer> getResources();
}

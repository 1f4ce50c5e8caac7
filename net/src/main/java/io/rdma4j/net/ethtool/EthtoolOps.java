// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.ethtool;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.SequencedMap;

/**
 * Driver-specific settings and values ({@code ethtool_ops}). A driver implements what it supports; by default every
 * method fails with EOPNOTSUPP. Features are not included, because all devices have them: see
 * {@code NetDevice.features()}.
 *
 * <p>The requesting thread calls the methods, one at a time, never on the data path. A driver rejects an unsupported
 * value with EINVAL; then nothing has changed.
 */
public interface EthtoolOps {
    /** No operations ({@code default_ethtool_ops}). */
    EthtoolOps NONE = new EthtoolOps() {};

    /** {@return the description of the driver ({@code get_drvinfo}, {@code ethtool -i})} */
    default DriverInfo driverInfo() {
        throw unsupported("description");
    }

    /** {@return the settings of the link ({@code get_link_ksettings}, {@code ethtool DEVICE})} */
    default LinkSettings linkSettings() {
        throw unsupported("link settings");
    }

    /**
     * Changes the settings of the link ({@code set_link_ksettings}, {@code ethtool -s}).
     *
     * @param settings all settings
     */
    default void setLinkSettings(LinkSettings settings) {
        throw unsupported("link settings to change");
    }

    /** {@return a snapshot of the driver's registers, in its own format ({@code get_regs}, {@code ethtool -d})} */
    default byte[] registers() {
        throw unsupported("registers");
    }

    /** {@return the driver's own counters by name, starting at 0 ({@code get_ethtool_stats}, {@code ethtool -S})} */
    default SequencedMap<String, Long> statistics() {
        throw unsupported("statistics of its own");
    }

    /** {@return the ring sizes ({@code get_ringparam}, {@code ethtool -g})} */
    default RingParameters ring() {
        throw unsupported("rings");
    }

    /**
     * Changes the ring sizes ({@code set_ringparam}, {@code ethtool -G}).
     *
     * @param ring both sizes
     */
    default void setRing(RingParameters ring) {
        throw unsupported("rings to change");
    }

    /** {@return the numbers of queues ({@code get_channels}, {@code ethtool -l})} */
    default ChannelCounts channels() {
        throw unsupported("channels");
    }

    /**
     * Changes the numbers of queues ({@code set_channels}, {@code ethtool -L}).
     *
     * @param channels all numbers
     */
    default void setChannels(ChannelCounts channels) {
        throw unsupported("channels to change");
    }

    /** {@return the assignment of flows to receive queues ({@code get_rxfh}, {@code ethtool -x})} */
    default FlowHashTable flowHash() {
        throw unsupported("flow hash table");
    }

    /**
     * Changes the assignment of flows to receive queues ({@code set_rxfh}, {@code ethtool -X}).
     *
     * @param table the complete table
     */
    default void setFlowHash(FlowHashTable table) {
        throw unsupported("flow hash table to change");
    }

    /** {@return the wake-on-LAN settings ({@code get_wol})} */
    default WakeOnLan wakeOnLan() {
        throw unsupported("wake-on-LAN");
    }

    /**
     * Changes the wake-on-LAN settings ({@code set_wol}, {@code ethtool -s DEVICE wol}).
     *
     * @param wake all settings
     */
    default void setWakeOnLan(WakeOnLan wake) {
        throw unsupported("wake-on-LAN to change");
    }

    private static RdmaException unsupported(String what) {
        return new RdmaException(Errno.EOPNOTSUPP, "the driver has no " + what);
    }
}

package io.rdma4j.net.ethtool;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.SequencedMap;

/**
 * What a driver shows of itself and lets be set ({@code ethtool_ops}). Each driver has what it has; by default every method
 * says EOPNOTSUPP. Features are not here, because all devices have them: see {@code NetDevice.features()}.
 *
 * <p>Called by the thread that asks, one at a time, never on the data path. What cannot be had as asked for is refused with
 * EINVAL, and nothing has changed.
 */
public interface EthtoolOps {
    /** The driver shows nothing ({@code default_ethtool_ops}). */
    EthtoolOps NONE = new EthtoolOps() {};

    /** {@return what drives the device ({@code get_drvinfo}, {@code ethtool -i})} */
    default DriverInfo driverInfo() {
        throw unsupported("description");
    }

    /** {@return how fast the link is ({@code get_link_ksettings}, {@code ethtool DEVICE})} */
    default LinkSettings linkSettings() {
        throw unsupported("link settings");
    }

    /**
     * Makes the link another one ({@code set_link_ksettings}, {@code ethtool -s}).
     *
     * @param settings all of them
     */
    default void setLinkSettings(LinkSettings settings) {
        throw unsupported("link settings to change");
    }

    /** {@return a picture of the driver's inner state, in its own order ({@code get_regs}, {@code ethtool -d})} */
    default byte[] registers() {
        throw unsupported("registers");
    }

    /**
     * {@return counters of the driver's own, each from 0 upwards, by name ({@code get_ethtool_stats},
     * {@code ethtool -S})}
     */
    default SequencedMap<String, Long> statistics() {
        throw unsupported("statistics of its own");
    }

    /** {@return how many packets may wait ({@code get_ringparam}, {@code ethtool -g})} */
    default RingParameters ring() {
        throw unsupported("rings");
    }

    /**
     * Lets more packets wait, or fewer ({@code set_ringparam}, {@code ethtool -G}).
     *
     * @param ring both sizes
     */
    default void setRing(RingParameters ring) {
        throw unsupported("rings to change");
    }

    /** {@return how many queues there are ({@code get_channels}, {@code ethtool -l})} */
    default ChannelCounts channels() {
        throw unsupported("channels");
    }

    /**
     * Makes them more, or fewer ({@code set_channels}, {@code ethtool -L}).
     *
     * @param channels all of them
     */
    default void setChannels(ChannelCounts channels) {
        throw unsupported("channels to change");
    }

    /** {@return which flow is received by which queue ({@code get_rxfh}, {@code ethtool -x})} */
    default FlowHashTable flowHash() {
        throw unsupported("flow hash table");
    }

    /**
     * Distributes flows otherwise ({@code set_rxfh}, {@code ethtool -X}).
     *
     * @param table all of it
     */
    default void setFlowHash(FlowHashTable table) {
        throw unsupported("flow hash table to change");
    }

    /** {@return what wakes the machine ({@code get_wol})} */
    default WakeOnLan wakeOnLan() {
        throw unsupported("wake-on-LAN");
    }

    /**
     * Lets it be woken otherwise ({@code set_wol}, {@code ethtool -s DEVICE wol}).
     *
     * @param wake all of it
     */
    default void setWakeOnLan(WakeOnLan wake) {
        throw unsupported("wake-on-LAN to change");
    }

    private static RdmaException unsupported(String what) {
        return new RdmaException(Errno.EOPNOTSUPP, "the driver has no " + what);
    }
}

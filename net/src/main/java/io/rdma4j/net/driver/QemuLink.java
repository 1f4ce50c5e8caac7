package io.rdma4j.net.driver;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.LinkType;
import io.rdma4j.net.NetDeviceFeature;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.PrivateFlag;
import java.util.List;
import java.util.Set;

/** What both devices that a QEMU guest's adapter plugs into have in common. */
final class QemuLink {
    /** Frames that have arrived and that nobody has freed yet, at most. */
    static final int RECEIVE_BUFFERS = 256;

    /** Room in front of a received frame: another header may have to go there. */
    static final int HEADROOM = 64;

    private QemuLink() {}

    static NetDeviceSetup setup(
            String name, int ifindex, int mtu, long macAddress, List<Gid> addresses, NetDeviceFeature... features) {
        return new NetDeviceSetup(LinkType.ETHERNET, name, ifindex, mtu, macAddress, addresses, Set.of(features))
                .withPrivateFlags(PrivateFlag.LIVE_ADDR_CHANGE);
    }

    /** @throws RdmaException EINVAL if the device would be no Ethernet device */
    static void check(NetDeviceSetup setup) {
        if (setup.link() != LinkType.ETHERNET) {
            throw new RdmaException(Errno.EINVAL, setup.name() + ": a virtual machine's adapter speaks Ethernet");
        }
    }
}

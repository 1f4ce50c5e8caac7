// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links.qemu;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.net.feature.NetDeviceFeature;
import java.util.List;
import java.util.Set;

/** Common parts of the two devices that connect to a QEMU guest's adapter. */
final class QemuLink {
    /** Maximum number of received frames that are not freed yet. */
    static final int RECEIVE_BUFFERS = 256;

    /** Bytes reserved in front of a received frame for another header. */
    static final int HEADROOM = 64;

    private QemuLink() {}

    static NetDeviceSetup setup(
            String name, int ifindex, int mtu, long macAddress, List<Gid> addresses, NetDeviceFeature... features) {
        return new NetDeviceSetup(LinkType.ETHERNET, name, ifindex, mtu, macAddress, addresses, Set.of(features))
                .withPrivateFlags(PrivateFlag.LIVE_ADDR_CHANGE);
    }

    /** @throws RdmaException EINVAL if the setup is not for an Ethernet device */
    static void check(NetDeviceSetup setup) {
        if (setup.link() != LinkType.ETHERNET) {
            throw new RdmaException(Errno.EINVAL, setup.name() + ": a virtual machine's adapter speaks Ethernet");
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.SplittableRandom;

/** What all ids share. */
final class ManagerParts {
    private static final int PSN_BITS = 24;

    final ManagerLock lock = new ManagerLock();
    final LocalDevices devices;
    final RdmaCmOptions options;
    final PortTable ports;
    final ListenTable listeners;
    final DefaultDomains domains = new DefaultDomains();
    /** The ids that are not destroyed, oldest first. */
    final Set<IdView> ids = new LinkedHashSet<>();

    private final SplittableRandom random;
    private int lastIdNumber;

    ManagerParts(LocalDevices devices, RdmaCmOptions options) {
        this.devices = devices;
        this.options = options;
        random = new SplittableRandom(options.seed());
        ports = new PortTable(random.split(), options);
        listeners = new ListenTable(devices, ports);
    }

    int newIdNumber() {
        return ++lastIdNumber;
    }

    int newPsn() {
        return random.nextInt(1 << PSN_BITS);
    }

    /**
     * The device that has an own address.
     *
     * @param scope index of the interface of a link-local address, otherwise 0
     */
    LocalDevice deviceAt(Gid address, int scope) {
        LocalDevice found = devices.at(address, scope);
        if (found == null) {
            boolean isLocal = devices.isLocal(address);
            throw new RdmaException(
                    isLocal ? Errno.ENODEV : Errno.EADDRNOTAVAIL,
                    (isLocal ? "no device has the address " : "this host does not have the address ")
                            + address.toInetAddress().getHostAddress());
        }
        return found;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.client;

import io.rdma4j.uverbs.abi.AttributeEncoding;
import io.rdma4j.verbs.spi.DeviceMatch;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.Driver;
import io.rdma4j.verbs.spi.FoundDevice;
import java.util.List;

/**
 * The driver for software RoCE devices of other processes. Corresponds to the rxe provider of rdma-core. The queues are
 * the rings of {@code verbs.spi.ring}, which server and client share.
 */
public final class UverbsDriver implements Driver {
    /** For {@link java.util.ServiceLoader}. */
    public UverbsDriver() {}

    @Override
    public String name() {
        return "rxe";
    }

    /**
     * Version 1 supports only the WRITE encoding. Versions 1 and 2 support only commands for queue pairs and ordinary
     * memory regions.
     */
    @Override
    public int minAbiVersion() {
        return 1;
    }

    @Override
    public int maxAbiVersion() {
        return 3;
    }

    @Override
    public List<DeviceMatch> matchTable() {
        return List.of(DeviceMatch.driverId(DeviceOps.DRIVER_RXE), DeviceMatch.namePrefix("rxe"));
    }

    @Override
    public DeviceOps allocateDevice(FoundDevice found) {
        return new ClientDevice(found, AttributeEncoding.ofVersion(found.abiVersion()));
    }
}

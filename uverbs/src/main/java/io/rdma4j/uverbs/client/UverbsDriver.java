package io.rdma4j.uverbs.client;

import io.rdma4j.uverbs.abi.Style;
import io.rdma4j.verbs.spi.DeviceMatch;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.Driver;
import io.rdma4j.verbs.spi.FoundDevice;
import java.util.List;

/**
 * The driver for software RoCE devices of other processes. Answers to the library of rxe in rdma-core; all knowledge of queues is in the
 * rings that provider and client share.
 */
public final class UverbsDriver implements Driver {
    /** Made by {@link java.util.ServiceLoader}. */
    public UverbsDriver() {}

    @Override
    public String name() {
        return "rxe";
    }

    /** Version 1 has the short style of commands only; up to version 2 there are the commands of queue pairs and ordinary regions only. */
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
        return new ClientDevice(found, Style.ofVersion(found.abiVersion()));
    }
}

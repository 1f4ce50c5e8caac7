package io.rdma4j.rxe;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.transport.port.DatagramPath;
import io.rdma4j.verbs.spi.AhOps;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.Rate;

/** An address handle of the device, with prepared network headers for datagrams. Corresponds to {@code rxe_ah}. */
final class RxeAh implements AhOps, DatagramPath {
    private final int handle;
    private final RxePort port;
    private final RxePd pd;

    /** For the owner of the port loop only, like {@code staticRate}. */
    private NetworkPath path;

    private Rate staticRate;

    RxeAh(int handle, RxePort port, RxePd pd, AddressVector vector) {
        this.handle = handle;
        this.port = port;
        this.pd = pd;
        this.path = resolve(vector);
        this.staticRate = vector.staticRate();
    }

    /**
     * Returns the path of an address vector. The handle's number replaces the queue pair numbers, which differ from
     * request to request: all datagrams with one handle use the same path through the network.
     */
    private NetworkPath resolve(AddressVector vector) {
        GlobalRoute route = vector.route();
        if (route == null) {
            throw new RdmaException(Errno.EINVAL, "an address vector without global route leads nowhere on Ethernet");
        }
        return NetworkPath.from(port, route, vector.serviceLevel(), handle, handle);
    }

    @Override
    public int handle() {
        return handle;
    }

    RxePd pd() {
        return pd;
    }

    NetworkPath path() {
        return path;
    }

    @Override
    public Rate staticRate() {
        return staticRate;
    }

    @Override
    public void modify(AddressVector vector) {
        NetworkPath changed = resolve(vector);
        port.netLoop().exclusively(() -> {
            path = changed;
            staticRate = vector.staticRate();
        });
    }

    @Override
    public void close() {
        port.netLoop().exclusively(() -> port.addressHandles().remove(handle));
    }
}

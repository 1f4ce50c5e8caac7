package io.rdma4j.rxe.ops;

import io.rdma4j.rxe.datapath.AddressPath;
import io.rdma4j.rxe.datapath.NetworkPath;
import io.rdma4j.rxe.datapath.NetworkPaths;
import io.rdma4j.rxe.port.NumberTable;
import io.rdma4j.verbs.AddressVector;
import io.rdma4j.verbs.spi.AhOps;
import io.rdma4j.verbs.spi.PdOps;

/** An address handle of the device, with prepared network headers for datagrams. Corresponds to {@code rxe_ah}. */
final class RxeAh implements AhOps {
    private final int handle;
    private final NumberTable<RxeAh> table;
    private final NetworkPaths paths;
    private final PdOps domain;
    private final AddressPath path;

    RxeAh(int handle, NumberTable<RxeAh> table, NetworkPaths paths, PdOps domain, AddressVector vector) {
        this.handle = handle;
        this.table = table;
        this.paths = paths;
        this.domain = domain;
        this.path = new AddressPath(paths.ofHandle(vector, handle), vector.staticRate());
    }

    @Override
    public int handle() {
        return handle;
    }

    PdOps domain() {
        return domain;
    }

    AddressPath path() {
        return path;
    }

    @Override
    public void modify(AddressVector vector) {
        NetworkPath changed = paths.ofHandle(vector, handle);
        table.lock().exclusively(() -> path.set(changed, vector.staticRate()));
    }

    @Override
    public void close() {
        table.remove(handle);
    }
}

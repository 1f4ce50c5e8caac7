// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.ops;

import io.rdma4j.hca.NumberTable;
import io.rdma4j.hca.carrier.PathResolver;
import io.rdma4j.transport.port.DatagramPath;
import io.rdma4j.verbs.spi.AhOps;
import io.rdma4j.verbs.spi.PdOps;
import io.rdma4j.verbs.values.AddressVector;

/** An address handle of the device, with prepared network headers for datagrams. Corresponds to {@code rxe_ah}. */
final class HcaAh implements AhOps {
    private final int handle;
    private final NumberTable<HcaAh> table;
    private final PathResolver paths;
    private final PdOps domain;

    /** For the owner of the port loop only. */
    private DatagramPath path;

    HcaAh(int handle, NumberTable<HcaAh> table, PathResolver paths, PdOps domain, AddressVector vector) {
        this.handle = handle;
        this.table = table;
        this.paths = paths;
        this.domain = domain;
        this.path = paths.ofHandle(vector, handle);
    }

    @Override
    public int handle() {
        return handle;
    }

    PdOps domain() {
        return domain;
    }

    DatagramPath path() {
        return path;
    }

    @Override
    public void modify(AddressVector vector) {
        DatagramPath changed = paths.ofHandle(vector, handle);
        table.lock().exclusively(() -> path = changed);
    }

    @Override
    public void close() {
        table.remove(handle);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.state;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.Arguments;
import io.rdma4j.verbs.device.GidEntry;
import io.rdma4j.verbs.device.PortAttributes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Queries the tables of a device's ports, with checks of port numbers and indexes. */
public final class PortTables {
    private final ContextState context;

    public PortTables(ContextState context) {
        this.context = context;
    }

    /**
     * @throws RdmaException EINVAL if the port does not exist
     */
    public void check(int port) {
        Arguments.range("port", port, 1, context.queryDevice().physicalPortCount());
    }

    public PortAttributes attributes(int port) {
        check(port);
        return context.ops().queryPort(port);
    }

    /** An entry of the GID table; null if the slot is empty. */
    @Nullable
    public GidEntry gid(int port, int index) {
        Arguments.range("GID index", index, 0, attributes(port).gidTableLength() - 1L);
        return context.ops().queryGid(port, index);
    }

    /** All entries of the GID tables. */
    public List<GidEntry> gids() {
        List<GidEntry> table = new ArrayList<>();
        int ports = context.queryDevice().physicalPortCount();
        for (int port = 1; port <= ports; port++) {
            int length = attributes(port).gidTableLength();
            for (int index = 0; index < length; index++) {
                GidEntry entry = context.ops().queryGid(port, index);
                if (entry != null) {
                    table.add(entry);
                }
            }
        }
        return table;
    }

    public int pkey(int port, int index) {
        Arguments.range("P_Key index", index, 0, attributes(port).pkeyTableLength() - 1L);
        return context.ops().queryPkey(port, index);
    }

    /**
     * @throws RdmaException ENOENT if the table does not contain the P_Key
     */
    public int pkeyIndex(int port, int pkey) {
        int length = attributes(port).pkeyTableLength();
        for (int index = 0; index < length; index++) {
            if (context.ops().queryPkey(port, index) == pkey) {
                return index;
            }
        }
        throw new RdmaException(Errno.ENOENT, String.format("P_Key 0x%04x is not in the table of port %d", pkey, port));
    }
}

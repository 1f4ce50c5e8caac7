package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the device says of its ports, asked for by numbers and indexes that are checked here. */
final class PortTables {
    private final Context context;

    /** @param context that is asked */
    PortTables(Context context) {
        this.context = context;
    }

    /** @throws RdmaException EINVAL if there is no such port */
    void check(int port) {
        Arguments.range("port", port, 1, context.queryDevice().physicalPortCount());
    }

    PortAttributes attributes(int port) {
        check(port);
        return context.ops().queryPort(port);
    }

    /** A slot of the GID table; null if it is empty. */
    @Nullable
    GidEntry gid(int port, int index) {
        Arguments.range("GID index", index, 0, attributes(port).gidTableLength() - 1L);
        return context.ops().queryGid(port, index);
    }

    /** All that is in the GID tables. */
    List<GidEntry> gids() {
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

    int pkey(int port, int index) {
        Arguments.range("P_Key index", index, 0, attributes(port).pkeyTableLength() - 1L);
        return context.ops().queryPkey(port, index);
    }

    /** @throws RdmaException ENOENT if no slot holds it */
    int pkeyIndex(int port, int pkey) {
        int length = attributes(port).pkeyTableLength();
        for (int index = 0; index < length; index++) {
            if (context.ops().queryPkey(port, index) == pkey) {
                return index;
            }
        }
        throw new RdmaException(Errno.ENOENT, String.format("P_Key 0x%04x is not in the table of port %d", pkey, port));
    }
}

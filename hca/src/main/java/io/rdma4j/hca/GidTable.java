// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

import io.rdma4j.base.Gid;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The GID table of a port (IBA 4.1.1): the addresses of its network interface, in their order and without duplicates.
 * If the interface has no address, the table has only the default GID: subnet prefix and GUID. Any thread.
 */
public final class GidTable {
    private final PortLink link;
    private volatile Gid defaultGid = new Gid(Gid.LINK_LOCAL_PREFIX, 0);

    public GidTable(PortLink link) {
        this.link = link;
    }

    /** Sets the default GID: subnet prefix and GUID of the port. */
    void setDefault(Gid gid) {
        defaultGid = gid;
    }

    /** Returns true if the table contains only the default GID. */
    boolean isDefault() {
        return link.addresses().isEmpty();
    }

    /** Returns the GID at {@code index}; null after the last one. */
    public @Nullable Gid at(int index) {
        List<Gid> own = link.addresses();
        if (own.isEmpty() && index == 0) {
            return defaultGid;
        }
        return index < own.size() ? own.get(index) : null;
    }

    /** Returns true if a GID belongs to the port. */
    public boolean contains(Gid gid) {
        return contains(gid.prefix(), gid.interfaceId());
    }

    /** Returns true if the GID with these two halves belongs to the port. */
    public boolean contains(long prefix, long interfaceId) {
        List<Gid> own = link.addresses();
        for (int i = 0; i < own.size(); i++) {
            Gid gid = own.get(i);
            if (gid.interfaceId() == interfaceId && gid.prefix() == prefix) {
                return true;
            }
        }
        return false;
    }
}

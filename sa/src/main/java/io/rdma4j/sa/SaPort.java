// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sa;

import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.mad.MadAddress;
import io.rdma4j.mad.gsi.GeneralServices;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.device.LinkLayer;
import io.rdma4j.verbs.device.PortAttributes;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import org.jspecify.annotations.Nullable;

/** What the client must know about its port. */
final class SaPort {
    private static final int DEFAULT_PKEY = 0xFFFF;
    private static final int LIMITED_PKEY = 0x7FFF;

    private final Context context;
    private final int port;
    private final @Nullable Gid saGid;

    /** @param saGid GID of the SA's port, or null to use that of PortInfo */
    SaPort(GeneralServices services, @Nullable Gid saGid) {
        this.context = services.context();
        this.port = services.port();
        this.saGid = saGid;
    }

    /** True if paths and joins are made without an SA. */
    boolean isLocal() {
        return saGid == null && context.linkLayer(port) == LinkLayer.ETHERNET;
    }

    PortAttributes attributes() {
        return context.queryPort(port);
    }

    boolean hasGid(Gid gid) {
        return context.findGid(gid).filter(entry -> entry.port() == port).isPresent();
    }

    /** The GID with which the port joins groups. */
    Gid gid() {
        return context.queryGid(port, 0);
    }

    /** The present address of the SA; null while the port has none. Tables and PortInfo may change at any time. */
    @Nullable
    MadAddress sa() {
        if (saGid != null) {
            return MadAddress.gsi(AddressVector.global(port, GlobalRoute.to(saGid, 0)), pkeyIndex());
        }
        PortAttributes attributes = attributes();
        if (attributes.linkLayer() == LinkLayer.ETHERNET || attributes.smLid() == 0) {
            return null;
        }
        return MadAddress.gsi(AddressVector.local(port, attributes.smLid(), attributes.smSl()), pkeyIndex());
    }

    private int pkeyIndex() {
        try {
            return context.pkeyIndex(port, DEFAULT_PKEY);
        } catch (RdmaException e) {
            return context.pkeyIndex(port, LIMITED_PKEY);
        }
    }
}

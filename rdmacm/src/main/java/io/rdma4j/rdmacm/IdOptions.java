// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Gid;
import org.jspecify.annotations.Nullable;

/** Options of an id; null: the default. */
record IdOptions(
        int typeOfService, boolean reuseAddress, @Nullable Boolean addressFamilyOnly, int ackTimeout) {
    private static final int PACKET_LIFETIME = 18;

    static IdOptions of(boolean bindV6Only) {
        return new IdOptions(0, false, bindV6Only ? true : null, 0);
    }

    /** True if an id with this address has nothing to do with the other family; always so for IPv4. */
    boolean ipv6Only(Gid address) {
        return address.isIpv4() || Boolean.TRUE.equals(addressFamilyOnly);
    }

    /** Exponent of 4.096 µs. */
    int packetLifetime() {
        return ackTimeout == 0 ? PACKET_LIFETIME : ackTimeout - 1;
    }

    IdOptions withTypeOfService(int type) {
        return new IdOptions(type, reuseAddress, addressFamilyOnly, ackTimeout);
    }

    IdOptions withReuseAddress(boolean reuse) {
        return new IdOptions(typeOfService, reuse, addressFamilyOnly, ackTimeout);
    }

    IdOptions withAddressFamilyOnly(boolean only) {
        return new IdOptions(typeOfService, reuseAddress, only, ackTimeout);
    }

    IdOptions withAckTimeout(int timeout) {
        return new IdOptions(typeOfService, reuseAddress, addressFamilyOnly, timeout);
    }
}

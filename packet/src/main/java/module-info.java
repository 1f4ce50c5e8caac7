// SPDX-License-Identifier: Apache-2.0
/** The packet buffer ({@code struct sk_buff}). */
module io.rdma4j.packet {
    requires transitive io.rdma4j.base;
    requires static org.jspecify;

    exports io.rdma4j.packet;
}

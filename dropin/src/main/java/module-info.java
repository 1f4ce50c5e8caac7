// SPDX-License-Identifier: Apache-2.0
/**
 * The Java side of {@code libibverbs.so.1} for programs in C: verbs by number, on structures in the layout of
 * libibverbs. The C side is in {@code src/main/c}.
 */
module io.rdma4j.dropin {
    requires io.rdma4j.base;
    requires io.rdma4j.cm;
    requires io.rdma4j.rdmacm;
    requires io.rdma4j.verbs;
    requires static org.jspecify;
}

// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.core;

/** Kinds of verbs objects, with the names that error messages use. */
public enum ObjectKind {
    CONTEXT("context", "contexts"),
    PROTECTION_DOMAIN("protection domain", "protection domains"),
    MEMORY_REGION("memory region", "memory regions"),
    FAST_MEMORY_REGION("fast memory region", "fast memory regions"),
    FAST_REG_PAGE_LIST("page list", "page lists"),
    FMR("FMR", "FMRs"),
    FMR_POOL("FMR pool", "FMR pools"),
    DEVICE_MEMORY("block of device memory", "blocks of device memory"),
    DMA_MAPPING("DMA mapping", "DMA mappings"),
    PINNED_PAGES("range of pinned pages", "ranges of pinned pages"),
    MEMORY_WINDOW("memory window", "memory windows"),
    ADDRESS_HANDLE("address handle", "address handles"),
    PORT_ANNOUNCEMENT("port announcement", "port announcements"),
    COMPLETION_CHANNEL("completion channel", "completion channels"),
    COMPLETION_QUEUE("completion queue", "completion queues"),
    SHARED_RECEIVE_QUEUE("shared receive queue", "shared receive queues"),
    XRC_DOMAIN("XRC domain", "XRC domains"),
    WORK_QUEUE("work queue", "work queues"),
    RWQ_INDIRECTION_TABLE("receive queue table", "receive queue tables"),
    QUEUE_PAIR("queue pair", "queue pairs"),
    RAW_IPV6_QUEUE_PAIR("raw IPv6 queue pair", "raw IPv6 queue pairs"),
    RAW_ETHERTYPE_QUEUE_PAIR("raw EtherType queue pair", "raw EtherType queue pairs");

    private final String singular;
    private final String plural;

    ObjectKind(String singular, String plural) {
        this.singular = singular;
        this.plural = plural;
    }

    /** {@code 1 queue pair}, {@code 2 queue pairs}. */
    public String count(int count) {
        return count + " " + (count == 1 ? singular : plural);
    }

    @Override
    public String toString() {
        return singular;
    }
}

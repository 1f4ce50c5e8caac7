/** Header codecs of RoCEv2 and what carries it; no state, no time, no I/O. */
module io.rdma4j.wire {
    requires transitive io.rdma4j.base;
    requires static org.jspecify;

    exports io.rdma4j.wire;
}

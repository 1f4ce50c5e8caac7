/** The vocabulary of every floor: numbers, names, errors, time. */
module io.rdma4j.base {
    requires static org.jspecify;

    exports io.rdma4j.base;
}

/** Which feature rows the tests prove: the {@code @Covers} annotation and the record a test run leaves behind. */
module io.rdma4j.testing.ledger {
    requires static org.jspecify;
    requires org.junit.jupiter.api;
    requires org.junit.platform.launcher;

    exports io.rdma4j.testing.ledger;
}

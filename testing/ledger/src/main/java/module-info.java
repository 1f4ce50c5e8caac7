// SPDX-License-Identifier: Apache-2.0
/** Records which feature rows the tests prove: the {@code @Covers} annotation and the ledger of a test run. */
module io.rdma4j.testing.ledger {
    requires static org.jspecify;
    // Required only where tests run: the report is read without JUnit.
    requires static org.junit.jupiter.api;
    requires static org.junit.platform.launcher;

    exports io.rdma4j.testing.ledger;

    provides org.junit.platform.launcher.TestExecutionListener with
            io.rdma4j.testing.ledger.LedgerListener;
}

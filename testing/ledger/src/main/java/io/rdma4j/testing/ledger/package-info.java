/**
 * The feature ledger: which rows of the feature list ({@code spec/features.csv}) the tests prove.
 *
 * <p>A test claims rows with {@link io.rdma4j.testing.ledger.Covers}; {@link io.rdma4j.testing.ledger.LedgerListener}
 * leaves the rows of passed tests in {@code target/ledger} of the module, a file for each test class;
 * {@link io.rdma4j.testing.ledger.LedgerReport} adds the files of all modules up. The package knows JUnit and files,
 * and nothing of RDMA.
 */
@NullMarked
package io.rdma4j.testing.ledger;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/**
 * The feature ledger: which rows of the feature list ({@code spec/features.csv}) the tests prove.
 *
 * <p>A test claims rows with {@link io.rdma4j.testing.ledger.Covers}. {@link io.rdma4j.testing.ledger.LedgerListener}
 * writes the rows of passed tests to {@code target/ledger} of the module, one file for each test class. {@link
 * io.rdma4j.testing.ledger.LedgerReport} merges the files of all modules. The package depends on JUnit and files, and
 * not on RDMA.
 */
@NullMarked
package io.rdma4j.testing.ledger;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.ledger;

/**
 * One row of the feature list.
 *
 * @param id for example {@code QP-40}; never reused
 * @param prefix the subsystem, for example {@code QP}
 * @param title the name of the function, field, flag, state or rule
 * @param what the required behaviour
 */
public record Feature(String id, String prefix, String title, String what) {}

package io.rdma4j.testing.ledger;

/**
 * One row of the feature list.
 *
 * @param id such as {@code QP-40}; never reused
 * @param prefix the subsystem, {@code QP}
 * @param title the name of the function, field, flag, state or rule
 * @param what what must be done
 */
public record Feature(String id, String prefix, String title, String what) {}

// SPDX-License-Identifier: Apache-2.0
/**
 * The Java side of the drop-in {@code libibverbs.so.1}. {@link io.rdma4j.dropin.DropIn} hands functions to the C side,
 * which calls them with addresses of structures of libibverbs. An object of a program is a number in {@link
 * io.rdma4j.dropin.ObjectTable}; C keeps it in the member {@code handle} of its structure.
 */
@NullMarked
package io.rdma4j.dropin;

import org.jspecify.annotations.NullMarked;

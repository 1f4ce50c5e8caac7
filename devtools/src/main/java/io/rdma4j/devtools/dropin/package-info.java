// SPDX-License-Identifier: Apache-2.0
/**
 * The suite of the drop-in {@code libibverbs.so.1}: unmodified programs of Debian's packages on the devices of this
 * project.
 */
@NullMarked
package io.rdma4j.devtools.dropin;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/**
 * Types that all modules use: 24-bit numbers, identifiers, MTUs, errors and time.
 *
 * <p>This package depends on no other package of the project. It performs no I/O (except for the files of
 * {@code base.local}) and starts no thread.
 */
@NullMarked
package io.rdma4j.base;

import org.jspecify.annotations.NullMarked;

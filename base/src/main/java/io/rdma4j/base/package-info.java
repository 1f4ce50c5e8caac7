/**
 * The vocabulary of every floor: 24-bit numbers, identifiers, MTUs, errors and time.
 *
 * <p>Everybody calls this package; it knows nobody. Nothing here does I/O (but the files of {@code base.local}) or starts a thread.
 */
@NullMarked
package io.rdma4j.base;

import org.jspecify.annotations.NullMarked;

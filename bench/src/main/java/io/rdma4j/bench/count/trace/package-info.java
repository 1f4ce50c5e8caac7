// SPDX-License-Identifier: Apache-2.0
/** Single steps of a thread of another process, by the system call {@code ptrace}. Linux only. */
@NullMarked
package io.rdma4j.bench.count.trace;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/** Reads and writes fields in network byte order. This package is private to the module. */
@NullMarked
package io.rdma4j.wire.bytes;

import org.jspecify.annotations.NullMarked;

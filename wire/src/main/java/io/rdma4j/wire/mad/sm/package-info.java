// SPDX-License-Identifier: Apache-2.0
/** Subnet management (IBA 14): the header of its datagrams, its attributes, notices and the details of traps. */
@NullMarked
package io.rdma4j.wire.mad.sm;

import org.jspecify.annotations.NullMarked;

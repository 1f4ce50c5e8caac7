// SPDX-License-Identifier: Apache-2.0
/** Subnet administration (IBA 15): the header of its datagrams, its records and subscriptions. */
@NullMarked
package io.rdma4j.wire.mad.sa;

import org.jspecify.annotations.NullMarked;

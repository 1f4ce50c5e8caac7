// SPDX-License-Identifier: Apache-2.0
/** The table of attributes by class and attribute ID, and the printer of datagrams that uses it. */
@NullMarked
package io.rdma4j.wire.mad.table;

import org.jspecify.annotations.NullMarked;

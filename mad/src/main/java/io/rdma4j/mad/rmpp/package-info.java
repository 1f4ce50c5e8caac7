// SPDX-License-Identifier: Apache-2.0
/** State of one transfer of the reliable multi-packet protocol, without addresses, timers and I/O. */
@NullMarked
package io.rdma4j.mad.rmpp;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/** The general services interface of a port: the owner of queue pair 1 and the driver of its MAD layer. */
@NullMarked
package io.rdma4j.mad.gsi;

import org.jspecify.annotations.NullMarked;

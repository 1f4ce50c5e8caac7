// SPDX-License-Identifier: Apache-2.0
/** The communication manager of a real device: its messages go over the QP1 of each port. */
@NullMarked
package io.rdma4j.cm.gsi;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/** Parts of work requests and completions that refer to no object: opcodes, flags, statuses, batches and cursors. */
@NullMarked
package io.rdma4j.verbs.wr;

import org.jspecify.annotations.NullMarked;

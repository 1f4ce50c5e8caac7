// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

/** The ids in a message: communication ID of the sender, of the receiver, and transaction ID. */
record MessageIds(int local, int remote, long transaction) {}

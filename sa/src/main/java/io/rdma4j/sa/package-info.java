// SPDX-License-Identifier: Apache-2.0
/**
 * Queries of the subnet administrator (SA): path records, multicast groups, services and subscriptions to notices.
 * Answers to {@code ib_sa.h}. {@link io.rdma4j.sa.SaClient} is the entry.
 *
 * <p>On RoCE there is no SA: path records and joins of multicast groups are made locally, as Linux does.
 */
@NullMarked
package io.rdma4j.sa;

import org.jspecify.annotations.NullMarked;

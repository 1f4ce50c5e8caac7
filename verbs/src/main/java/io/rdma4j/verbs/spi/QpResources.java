// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

import org.jspecify.annotations.Nullable;

/**
 * The provider's parts of the objects that a new queue pair uses.
 *
 * @param sendCq of {@code attributes.sendCq()}; null exactly for XRC_TGT, and with a table if the queue pair only
 *     receives
 * @param receiveCq of {@code attributes.receiveCq()}; null exactly for XRC_INI and XRC_TGT, and with a table
 * @param srq of {@code attributes.srq()}
 * @param xrcDomain of {@code attributes.xrcDomain()}; present exactly for XRC_TGT
 * @param rwqIndirectionTable of {@code attributes.rwqIndirectionTable()}; only if the device supports tables
 */
public record QpResources(
        @Nullable CqOps sendCq,
        @Nullable CqOps receiveCq,
        @Nullable SrqOps srq,
        @Nullable XrcdOps xrcDomain,
        @Nullable RwqTableOps rwqIndirectionTable) {}

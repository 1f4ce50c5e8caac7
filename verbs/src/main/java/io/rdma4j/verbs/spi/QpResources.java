package io.rdma4j.verbs.spi;

import org.jspecify.annotations.Nullable;

/**
 * What the provider made for the objects that a new queue pair uses.
 *
 * @param sendCq for {@code attributes.sendCq()}; null exactly for XRC_TGT, and beside a table if there is nothing to send
 * @param receiveCq for {@code attributes.receiveCq()}; null exactly for XRC_INI and XRC_TGT, and beside a table
 * @param srq for {@code attributes.srq()}
 * @param xrcDomain for {@code attributes.xrcDomain()}; there exactly for XRC_TGT
 * @param rwqIndirectionTable for {@code attributes.rwqIndirectionTable()}; only if the device has such tables
 */
public record QpResources(
        @Nullable CqOps sendCq,
        @Nullable CqOps receiveCq,
        @Nullable SrqOps srq,
        @Nullable XrcdOps xrcDomain,
        @Nullable RwqTableOps rwqIndirectionTable) {}

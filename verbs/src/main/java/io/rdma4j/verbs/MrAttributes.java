// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.verbs.values.AccessFlag;
import java.util.Set;

/**
 * Attributes of a memory region at one moment. Corresponds to {@code struct ib_mr_attr}.
 *
 * @param protectionDomain {@code pd}: the protection domain
 * @param iova {@code device_virt_addr}: address of the first byte in work requests
 * @param lengthBytes {@code size}: length in bytes
 * @param access {@code mr_access_flags}: access rights
 * @param lkey {@code lkey}: key for scatter/gather elements, 32 bits
 * @param rkey {@code rkey}: key for the peer, 32 bits
 */
public record MrAttributes(
        ProtectionDomain protectionDomain, long iova, long lengthBytes, Set<AccessFlag> access, int lkey, int rkey) {}

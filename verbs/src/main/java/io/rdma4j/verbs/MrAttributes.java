package io.rdma4j.verbs;

import java.util.Set;

/**
 * What a region is at one moment. Answers to {@code struct ib_mr_attr}.
 *
 * @param protectionDomain {@code pd}: the domain it belongs to
 * @param iova {@code device_virt_addr}: what work requests call its first byte
 * @param lengthBytes {@code size}: bytes
 * @param access {@code mr_access_flags}: rights
 * @param lkey {@code lkey}: key for scatter/gather elements, 32 bits
 * @param rkey {@code rkey}: key for the peer, 32 bits
 */
public record MrAttributes(
        ProtectionDomain protectionDomain, long iova, long lengthBytes, Set<AccessFlag> access, int lkey, int rkey) {}

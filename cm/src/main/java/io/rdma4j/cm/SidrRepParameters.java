// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import io.rdma4j.wire.mad.SidrStatus;
import java.lang.foreign.MemorySegment;

/**
 * Contents of a SIDR_REP. Corresponds to {@code struct ib_cm_sidr_rep_param}.
 *
 * @param status result
 * @param qpn queue pair of the service: 24 bits; 0 without success
 * @param qkey its Q_Key: 32 bits; 0 without success
 * @param info additional information about a failure, up to 72 bytes
 * @param ece options of the vendor
 * @param privateData data of the program, up to 136 bytes
 */
public record SidrRepParameters(
        SidrStatus status, int qpn, int qkey, MemorySegment info, Ece ece, MemorySegment privateData) {
    /**
     * {@return the answer with a queue pair}
     *
     * @param qpn queue pair of the service: 24 bits
     * @param qkey its Q_Key
     * @param privateData data of the program, up to 136 bytes
     */
    public static SidrRepParameters success(int qpn, int qkey, MemorySegment privateData) {
        return new SidrRepParameters(SidrStatus.SUCCESS, qpn, qkey, MemorySegment.NULL, Ece.NONE, privateData);
    }

    /**
     * {@return a refusal}
     *
     * @param status why
     * @param privateData data of the program, up to 136 bytes
     */
    public static SidrRepParameters failure(SidrStatus status, MemorySegment privateData) {
        return new SidrRepParameters(status, 0, 0, MemorySegment.NULL, Ece.NONE, privateData);
    }
}

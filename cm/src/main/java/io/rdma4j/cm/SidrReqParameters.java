// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import java.lang.foreign.MemorySegment;

/**
 * Contents of a SIDR_REQ. Corresponds to {@code struct ib_cm_sidr_req_param}.
 *
 * @param path the path to the peer
 * @param serviceId the service that the peer listens for
 * @param responseTimeout time in which the peer answers, exponent of 4.096 µs
 * @param maxCmRetries how often the request is repeated
 * @param privateData data of the program, up to 216 bytes
 */
public record SidrReqParameters(
        CmPath path, long serviceId, int responseTimeout, int maxCmRetries, MemorySegment privateData) {
    private static final int RESPONSE_TIMEOUT = 20;
    private static final int MAX_RETRIES = 15;

    /**
     * {@return a request with the times of rdma_cm: 4.1 s, 15 repetitions}
     *
     * @param path the path to the peer
     * @param serviceId the service that the peer listens for
     * @param privateData data of the program, up to 216 bytes
     */
    public static SidrReqParameters of(CmPath path, long serviceId, MemorySegment privateData) {
        return new SidrReqParameters(path, serviceId, RESPONSE_TIMEOUT, MAX_RETRIES, privateData);
    }
}

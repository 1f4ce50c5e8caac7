// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdmacm;

/**
 * Options of {@code cmtime}.
 *
 * @param connections number of connections
 * @param retries of address and route resolution, and of a request's messages
 * @param timeoutMs of address and route resolution
 */
record CmtimeOptions(int connections, int retries, int timeoutMs) {}

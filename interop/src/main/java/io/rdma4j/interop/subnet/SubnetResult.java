// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.subnet;

/**
 * Result of a scenario.
 *
 * @param scenario name
 * @param isGood success
 * @param detail summary, or description of the failure
 * @param millis duration
 */
public record SubnetResult(String scenario, boolean isGood, String detail, long millis) {}

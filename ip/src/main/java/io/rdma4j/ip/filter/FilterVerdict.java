// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.filter;

/** Decision of a rule on a packet that it matches. */
public enum FilterVerdict {
    /** The next rule is evaluated ({@code XT_CONTINUE}). */
    CONTINUE,
    /** The packet is accepted without further rules of this table ({@code NF_ACCEPT}). */
    ACCEPT,
    /** The packet is dropped ({@code NF_DROP}). */
    DROP
}

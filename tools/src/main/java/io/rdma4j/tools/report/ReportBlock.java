// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.report;

/** A part of a page. */
public interface ReportBlock {
    /** {@return its HTML} */
    String html();
}

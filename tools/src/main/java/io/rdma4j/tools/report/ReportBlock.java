package io.rdma4j.tools.report;

/** A part of a page. */
public sealed interface ReportBlock permits Chart, RatioBars, Table {
    /** {@return its HTML} */
    String html();
}

/** Pages with plots and tables of what a tool measured: one HTML file, nothing is loaded from elsewhere. */
@NullMarked
package io.rdma4j.tools.report;

import org.jspecify.annotations.NullMarked;

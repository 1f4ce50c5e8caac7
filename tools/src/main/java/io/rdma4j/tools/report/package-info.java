// SPDX-License-Identifier: Apache-2.0
/** Pages with plots and tables of measured results: one HTML file that loads nothing. */
@NullMarked
package io.rdma4j.tools.report;

import org.jspecify.annotations.NullMarked;

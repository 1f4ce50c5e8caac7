/** Plots for reports, as SVG without anything from elsewhere. */
@NullMarked
package io.rdma4j.tools.plot;

import org.jspecify.annotations.NullMarked;

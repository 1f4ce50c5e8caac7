// SPDX-License-Identifier: Apache-2.0
/**
 * Rules of the project that the compiler cannot check: allowed dependencies, and the tidiness of the sources.
 *
 * <p>Each rule is a small class that checks given sources or class files. {@link HouseTest} and {@link TidyTest} apply
 * it to the project. {@link HouseRulesTest} and {@link TidyRulesTest} apply it to bad samples, to prove that it can
 * fail.
 */
@NullMarked
package io.rdma4j.testing.architecture;

import org.jspecify.annotations.NullMarked;

/**
 * The rules of the house that the compiler cannot check: which room may see what, and the tidiness of the sources.
 *
 * <p>Each rule is a small class that looks at sources or class files it is given; {@link HouseTest} and {@link TidyTest}
 * give it the project, {@link HouseRulesTest} and {@link TidyRulesTest} give it bad samples, to show that it can fail.
 */
@NullMarked
package io.rdma4j.testing.architecture;

import org.jspecify.annotations.NullMarked;

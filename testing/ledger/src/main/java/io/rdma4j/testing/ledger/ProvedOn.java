package io.rdma4j.testing.ledger;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says on which {@link Ground} the claims of a test are proved, where it is not the ground of the module ({@code ledger.ground} in its POM).
 *
 * <p>The annotation of the method counts before that of its class, and that before the one of the class around it.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface ProvedOn {
    /** {@code core}, {@code device}, {@code carrier:NAME} or {@code interop}. */
    String value();
}

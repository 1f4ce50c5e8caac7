package io.rdma4j.testing.ledger;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Says which rows of the feature list ({@code spec/features.csv}) a test proves.
 *
 * <p>Claim a row only if the test would fail without the feature. On a class the claim counts once every test of the
 * class has passed and none was skipped; on a method once that method has. An id that is not in the list fails the
 * test.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(ClaimCheck.class)
public @interface Covers {
    /** Row ids such as {@code "QP-40"}. */
    String[] value();
}

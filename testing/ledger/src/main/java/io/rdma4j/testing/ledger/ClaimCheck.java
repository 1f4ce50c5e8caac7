// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.ledger;

import java.lang.reflect.AnnotatedElement;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test that claims a row which is not in the list, or is declared not applicable.
 *
 * <p>{@link Covers} registers it. It is an extension, because the JUnit platform ignores exceptions of a listener.
 */
final class ClaimCheck implements BeforeAllCallback, BeforeEachCallback {
    @Override
    public void beforeAll(ExtensionContext context) {
        check(context.getRequiredTestClass());
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        check(context.getRequiredTestMethod());
    }

    private static void check(AnnotatedElement element) {
        Covers covers = element.getAnnotation(Covers.class);
        if (covers == null) {
            return;
        }
        for (String id : covers.value()) {
            String complaint = FeatureList.committed().complaint(id);
            if (complaint != null) {
                throw new ExtensionConfigurationException(element + ": " + complaint);
            }
        }
    }
}

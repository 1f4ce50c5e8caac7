package io.rdma4j.testing.ledger;

import java.lang.reflect.AnnotatedElement;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test that claims a row which is not in the list, or is declared not applicable.
 *
 * <p>Comes with {@link Covers}. An extension, because the platform swallows what a listener throws.
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
            String complaint = complaint(FeatureList.committed(), id);
            if (complaint != null) {
                throw new ExtensionConfigurationException(element + ": " + complaint);
            }
        }
    }

    /** What is wrong with a claim of the row, or null. */
    static @Nullable String complaint(FeatureList features, String id) {
        if (!features.contains(id)) {
            return "@Covers(\"" + id + "\"): no such row in spec/features.csv";
        }
        String reason = features.notApplicable().get(id);
        return reason == null
                ? null
                : "@Covers(\"" + id + "\"): spec/not-applicable.csv says this row cannot be proved: " + reason;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testkit;

import io.rdma4j.netlab.Machine;
import io.rdma4j.testing.endpoint.QpPair;
import io.rdma4j.verbs.Context;
import java.io.IOException;
import java.util.Objects;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/** Creates and closes the fabric of each test, for {@link RdmaFabric}, and resolves the parameters. */
public final class RdmaFabricExtension implements BeforeEachCallback, AfterEachCallback, ParameterResolver {
    private static final Namespace NAMESPACE = Namespace.create(RdmaFabricExtension.class);

    /** Called by JUnit. */
    public RdmaFabricExtension() {}

    @Override
    public void beforeEach(ExtensionContext context) throws IOException {
        context.getStore(NAMESPACE).put(FabricTest.class, new FabricTest(annotation(context), context));
    }

    private static RdmaFabric annotation(ExtensionContext context) {
        return AnnotationSupport.findAnnotation(context.getRequiredTestMethod(), RdmaFabric.class)
                .or(() -> AnnotationSupport.findAnnotation(
                        context.getRequiredTestClass(), RdmaFabric.class, context.getEnclosingTestClasses()))
                .orElseThrow(() -> new ExtensionConfigurationException(
                        "neither the test nor its class has the annotation @RdmaFabric"));
    }

    private static FabricTest test(ExtensionContext context) {
        return Objects.requireNonNull(context.getStore(NAMESPACE).get(FabricTest.class, FabricTest.class));
    }

    @Override
    public void afterEach(ExtensionContext context) throws IOException {
        FabricTest test = context.getStore(NAMESPACE).remove(FabricTest.class, FabricTest.class);
        if (test != null) {
            test.end(context);
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        if (context.getTestMethod().isEmpty()) {
            return false;
        }
        Class<?> type = parameter.getParameter().getType();
        return parameter.isAnnotated(OnHost.class)
                ? type == RdmaHost.class || type == Machine.class || type == Context.class
                : type == Fabric.class || type == QpPair.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Fabric fabric = test(context).fabric();
        Class<?> type = parameter.getParameter().getType();
        if (type == Fabric.class) {
            return fabric;
        }
        if (type == QpPair.class) {
            return fabric.connect(0, 1);
        }
        RdmaHost host = parameter
                .findAnnotation(OnHost.class)
                .map(which -> which.name().isEmpty() ? fabric.host(which.value()) : fabric.host(which.name()))
                .orElseThrow();
        if (type == Machine.class) {
            return host.machine();
        }
        return type == Context.class ? host.context() : host;
    }
}

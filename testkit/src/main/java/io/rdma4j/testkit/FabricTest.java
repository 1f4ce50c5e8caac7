// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.MediaType;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.opentest4j.TestAbortedException;

/** The fabric of one test, and what is attached if the test fails. */
final class FabricTest {
    private static final String SEED = "rdma4j.testkit.seed";
    private static final String REPORT = "rdma4j";
    private static final MediaType PCAP = MediaType.create("application", "vnd.tcpdump.pcap");
    private static final String RECORDING = "flight-recording.jfr";

    private final RdmaFabric wanted;
    private final Fabric fabric;
    private final @Nullable Path directory;
    private final List<Path> captures;
    private final FabricTestEvent event = new FabricTestEvent();

    FabricTest(RdmaFabric wanted, ExtensionContext context) throws IOException {
        this.wanted = wanted;
        if (wanted.recording()) {
            FlightRecording.start();
        }
        event.begin();
        fabric = Fabric.open(setup(wanted, seed(wanted, context)));
        directory = wanted.capture() ? Files.createTempDirectory("rdma4j-fabric") : null;
        captures = directory == null ? List.of() : fabric.captureTo(directory);
    }

    private static long seed(RdmaFabric wanted, ExtensionContext context) {
        return context.getConfigurationParameter(SEED, Long::parseLong).orElse(wanted.seed());
    }

    private static FabricSetup setup(RdmaFabric wanted, long seed) {
        String loss = "loss " + 100 * wanted.loss() + "% ";
        return new FabricSetup(wanted.hosts(), loss + wanted.link(), wanted.topology(), seed, wanted.virtualTime());
    }

    Fabric fabric() {
        return fabric;
    }

    /** Closes the fabric; if the test has failed, attaches the files. */
    void end(ExtensionContext context) throws IOException {
        Throwable failure = context.getExecutionException().orElse(null);
        boolean failed = failure != null && !(failure instanceof TestAbortedException);
        try {
            List<String> leaks = fabric.shutDown();
            record(context, failed);
            if (failure != null && failed) {
                failure.addSuppressed(new FabricFailure(attach(context)));
            }
            report(context, leaks, failed);
        } finally {
            delete();
        }
    }

    private void record(ExtensionContext context, boolean failed) {
        event.name = name(context);
        event.seed = fabric.seed();
        event.failed = failed;
        event.commit();
    }

    private void report(ExtensionContext context, List<String> leaks, boolean failed) {
        if (leaks.isEmpty()) {
            return;
        }
        String text = "the test has left open: " + String.join("; ", leaks);
        context.publishReportEntry(REPORT, text);
        if (wanted.strict() && !failed) {
            throw new AssertionError(text);
        }
    }

    /** Attaches the files and returns the text for the failure. */
    private String attach(ExtensionContext context) throws IOException {
        List<Path> attached = new ArrayList<>();
        for (Path capture : captures) {
            String name = capture.getFileName().toString();
            context.publishFile(name, PCAP, target -> {
                Files.copy(capture, target);
                attached.add(target);
            });
        }
        if (wanted.recording()) {
            context.publishFile(RECORDING, MediaType.APPLICATION_OCTET_STREAM, target -> {
                FlightRecording.dump(target);
                attached.add(target);
            });
        }
        String text = text(context, attached);
        context.publishReportEntry(REPORT, text);
        return text;
    }

    private String text(ExtensionContext context, List<Path> attached) {
        StringBuilder text = new StringBuilder("fabric: " + fabric + ", ended after " + fabric.elapsed());
        text.append("\n  repeat: mvn test -Dtest='").append(name(context));
        text.append("' -D").append(SEED).append('=').append(fabric.seed());
        attached.forEach(file -> text.append("\n  file: ").append(file));
        return text.toString();
    }

    private static String name(ExtensionContext context) {
        return context.getRequiredTestClass().getName() + "#"
                + context.getRequiredTestMethod().getName();
    }

    private void delete() {
        if (directory == null) {
            return;
        }
        try {
            for (Path capture : captures) {
                Files.deleteIfExists(capture);
            }
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

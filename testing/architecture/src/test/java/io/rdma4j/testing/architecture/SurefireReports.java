// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads Surefire's reports of one module. */
final class SurefireReports {
    private static final Pattern SUITE = Pattern.compile("<testsuite [^>]*>");

    private final List<Path> files;

    SurefireReports(Path module) {
        this.files = Project.files(module.resolve("target/surefire-reports")).toList();
    }

    /** Number of executed tests of a class and its nested classes, passed or failed; 0 if the class has no report. */
    int ran(String testClass) {
        int ran = 0;
        for (Path report : reports(testClass)) {
            Matcher suite = SUITE.matcher(Project.read(report));
            if (suite.find()) {
                ran += attribute(suite.group(), "tests") - attribute(suite.group(), "skipped");
            }
        }
        return ran;
    }

    /** True if the class has a report, even if all its tests were skipped. */
    boolean has(String testClass) {
        return !reports(testClass).isEmpty();
    }

    private List<Path> reports(String testClass) {
        String name = "TEST-" + testClass;
        return files.stream()
                .filter(file -> {
                    String fileName = file.getFileName().toString();
                    return fileName.equals(name + ".xml") || fileName.startsWith(name + "$");
                })
                .toList();
    }

    private static int attribute(String element, String name) {
        Matcher matcher = Pattern.compile(" " + name + "=\"(\\d+)\"").matcher(element);
        return matcher.find() ? Integer.parseInt(matcher.group(1)) : 0;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is published is complete: see docs/releasing.md. */
class PublishedModulesTest {
    /** Scopes of dependencies that users do not get. */
    private static final Set<String> NOT_FOR_USERS = Set.of("test", "provided");

    private static final String BOM = "artifact/bom";

    private final Project project = Project.here();
    private final Map<String, Pom> poms = new HashMap<>();

    private Pom pom(String module) {
        return poms.computeIfAbsent(module, name -> new Pom(project.path(name + "/pom.xml")));
    }

    private List<String> published() {
        return project.modules().stream()
                .filter(module -> pom(module).isPublished())
                .toList();
    }

    private Stream<String> artifacts() {
        return published().stream()
                .filter(module -> !module.equals(BOM))
                .map(module -> pom(module).artifact());
    }

    @Test
    void aPublishedModuleSaysWhatItIs() {
        assertThat(published()).contains("verbs", "artifact/rdma4j", BOM).allSatisfy(module -> {
            assertThat(pom(module).text("name")).as("name of %s", module).isPresent();
            assertThat(pom(module).text("description"))
                    .as("description of %s, or maven.deploy.skip", module)
                    .isPresent();
        });
    }

    @Test
    void toolsAndTestsAreNotPublished() {
        assertThat(published()).doesNotContain("tools", "devtools", "bench", "interop", "examples");
        assertThat(published()).doesNotContain("testing/architecture", "testing/stress");
    }

    @Test
    void aPublishedModuleNeedsOnlyPublishedOnes() {
        assertThat(published())
                .allSatisfy(module -> assertThat(pom(module).dependencies())
                        .filteredOn(dependency -> !NOT_FOR_USERS.contains(dependency.scope()))
                        .extracting(Pom.Dependency::artifact)
                        .as("dependencies of %s", module)
                        .isSubsetOf(artifacts().toList()));
    }

    @Test
    void theBomListsThePublishedModules() {
        assertThat(pom(BOM).managed())
                .extracting(Pom.Dependency::artifact)
                .containsExactlyInAnyOrderElementsOf(artifacts().toList());
    }

    @Test
    void parentAndBomHaveWhatARepositoryDemands() {
        List<Pom> roots = List.of(new Pom(project.path("pom.xml")), pom(BOM));
        assertThat(roots)
                .allSatisfy(pom -> assertThat(Stream.of(
                                        pom.text("name"),
                                        pom.text("description"),
                                        pom.text("url"),
                                        pom.text("licenses", "license", "name"),
                                        pom.text("developers", "developer", "name"),
                                        pom.text("scm", "connection"),
                                        pom.text("scm", "url"))
                                .toList())
                        .allSatisfy(text -> assertThat(text).isPresent()));
        assertThat(roots)
                .extracting(pom -> pom.text("version"))
                .hasSize(2)
                .containsOnly(roots.getFirst().text("version"));
    }
}

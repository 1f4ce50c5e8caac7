// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The drawings on the page of the state machines agree with the golden files, which other tests compare with the code.
 * A drawing is between {@code <!-- NAME -->} and {@code <!-- end -->}; the rest of the page is prose.
 */
class StateMachinesPageTest {
    private static final String PAGE = "docs/state-machines.md";
    private static final String END = "<!-- end -->";

    private final Project project = Project.here();

    private String golden(String module, String name) {
        return Project.read(project.path(module + "/src/test/resources/" + name));
    }

    private Map<String, String> drawings() {
        String matrix = golden("verbs", "qp-state-table.txt");
        Map<String, String> drawings = new LinkedHashMap<>();
        drawings.put("life cycle", StateDrawings.lifeCycle(matrix));
        drawings.put("attributes of RC", StateDrawings.attributes(matrix, "RC"));
        drawings.put("attributes of UD", StateDrawings.attributes(matrix, "UD"));
        drawings.put("responder", StateDrawings.ladder(golden("transport", "responder.dot")));
        drawings.put("verdicts", StateDrawings.table(golden("transport", "verdicts.txt")));
        drawings.put("completer", StateDrawings.ladder(golden("transport", "completer.dot")));
        drawings.put("outcomes", StateDrawings.table(golden("transport", "outcomes.txt")));
        drawings.put("migration", StateDrawings.table(golden("transport", "migration.txt")));
        String connections = golden("cm", "cm-states.txt");
        drawings.put("connection", StateDrawings.connection(connections, false));
        drawings.put("connection, other", StateDrawings.connectionRest(connections));
        drawings.put("alternate path", StateDrawings.connection(connections, true));
        drawings.put("rdma_cm", StateDrawings.ids(golden("rdmacm", "rdma-id-states.txt")));
        return drawings;
    }

    @Test
    void everyDrawingIsThatOfTheGoldenFile() {
        String page = Project.read(project.path(PAGE));
        drawings().forEach((name, drawing) -> {
            String start = "<!-- " + name + " -->\n";
            assertThat(page).contains(start);
            int from = page.indexOf(start) + start.length();
            assertThat(page.substring(from, page.indexOf(END, from)))
                    .as("%s in %s", name, PAGE)
                    .isEqualTo(drawing);
        });
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** The project file of a module. */
final class Pom {
    /** A dependency of a module, or an entry of the BOM. */
    record Dependency(String artifact, String scope) {}

    private final Element project;

    Pom(Path file) {
        try {
            this.project = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(file.toFile())
                    .getDocumentElement();
        } catch (IOException | ParserConfigurationException | SAXException e) {
            throw new IllegalArgumentException(file.toString(), e);
        }
    }

    private static Stream<Element> children(Element parent, String name) {
        NodeList nodes = parent.getChildNodes();
        return IntStream.range(0, nodes.getLength())
                .mapToObj(nodes::item)
                .filter(node -> node.getNodeType() == Node.ELEMENT_NODE
                        && node.getNodeName().equals(name))
                .map(Element.class::cast);
    }

    /** The text of the element at a path of names, such as {@code properties}, {@code maven.deploy.skip}. */
    Optional<String> text(String... path) {
        Stream<Element> found = Stream.of(project);
        for (String name : path) {
            found = found.flatMap(element -> children(element, name));
        }
        return found.map(Element::getTextContent).map(String::strip).findFirst();
    }

    String artifact() {
        return text("artifactId").orElseThrow();
    }

    boolean isPublished() {
        return !text("properties", "maven.deploy.skip").orElse("false").equals("true");
    }

    /** The dependencies on modules of this project. */
    List<Dependency> dependencies() {
        return dependencies(project);
    }

    /** The modules whose versions the BOM lists. */
    List<Dependency> managed() {
        return children(project, "dependencyManagement")
                .flatMap(element -> dependencies(element).stream())
                .toList();
    }

    private static List<Dependency> dependencies(Element parent) {
        return children(parent, "dependencies")
                .flatMap(element -> children(element, "dependency"))
                .filter(element -> first(element, "groupId").equals("io.rdma4j"))
                .map(element -> new Dependency(first(element, "artifactId"), first(element, "scope")))
                .toList();
    }

    private static String first(Element parent, String name) {
        return children(parent, name)
                .map(Element::getTextContent)
                .map(String::strip)
                .findFirst()
                .orElse("");
    }
}

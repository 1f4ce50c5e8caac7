// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The public types in exported packages of the modules that programs use. */
final class PublicTypes {
    private static final Pattern EXPORT = Pattern.compile("exports ([\\w.]+);");

    private final Project project;
    private final List<String> modules;

    PublicTypes(Project project) {
        this.project = project;
        this.modules = project.modulesOfEveryBuild().stream()
                .filter(module -> !module.startsWith("testing/"))
                .filter(module -> project.modulesWithCode().contains(module))
                .filter(module -> !module.equals("examples"))
                .toList();
    }

    /** The packages that the modules export without qualification. */
    Set<String> packages() {
        return modules.stream().flatMap(this::exports).collect(Collectors.toSet());
    }

    private Stream<String> exports(String module) {
        String text = Project.read(project.path(module + "/src/main/java/module-info.java"));
        return EXPORT.matcher(text).results().map(export -> export.group(1));
    }

    /** Names of the public methods of a type; of a nested type {@code Builder} too. Empty if there is no such type. */
    Set<String> members(String simpleName) {
        return modules.stream()
                .flatMap(module -> exports(module)
                        .map(name -> project.path(
                                module + "/src/main/java/" + name.replace('.', '/') + "/" + simpleName + ".java"))
                        .filter(Files::exists)
                        .map(file -> load(project.path(module + "/src/main/java")
                                .relativize(file)
                                .toString())))
                .filter(type -> Modifier.isPublic(type.getModifiers()))
                .flatMap(type -> Stream.concat(Stream.of(type), Arrays.stream(type.getDeclaredClasses())))
                .flatMap(type -> Arrays.stream(type.getMethods()))
                .map(Method::getName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Class<?> load(String file) {
        String name = file.substring(0, file.lastIndexOf('.')).replace('/', '.');
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException e) {
            throw new AssertionError(name, e);
        }
    }
}

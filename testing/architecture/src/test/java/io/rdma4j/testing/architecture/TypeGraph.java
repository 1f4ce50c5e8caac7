// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The dependencies between the top-level types of a module; nested types count as part of their top-level type. */
final class TypeGraph {
    private final Map<String, Set<String>> uses = new TreeMap<>();

    /** For Tarjan's algorithm: the order of discovery, and the lowest order that a type reaches. */
    private final Map<String, Integer> order = new HashMap<>();

    private final Map<String, Integer> reached = new HashMap<>();
    private final Deque<String> open = new ArrayDeque<>();
    private final Set<String> isOpen = new HashSet<>();
    private final List<Set<String>> knots = new ArrayList<>();

    TypeGraph(Map<String, ? extends Collection<String>> uses) {
        uses.forEach((type, used) -> this.uses.put(type, new TreeSet<>(used)));
        this.uses.keySet().forEach(type -> {
            if (!order.containsKey(type)) {
                visit(type);
            }
        });
    }

    static TypeGraph of(JavaClasses classes) {
        Map<String, Set<String>> uses = new TreeMap<>();
        classes.forEach(type -> uses.put(topLevel(type), new TreeSet<>()));
        for (JavaClass type : classes) {
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                String target = topLevel(dependency.getTargetClass());
                if (uses.containsKey(target)) {
                    uses.computeIfAbsent(topLevel(type), _ -> new TreeSet<>()).add(target);
                }
            }
        }
        return new TypeGraph(uses);
    }

    private static String topLevel(JavaClass type) {
        String name = type.getBaseComponentType().getName();
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }

    private void visit(String type) {
        reached.put(type, order.size());
        order.put(type, order.size());
        open.push(type);
        isOpen.add(type);
        for (String used : uses.getOrDefault(type, Set.of())) {
            if (!order.containsKey(used)) {
                visit(used);
                reached.merge(type, reached.getOrDefault(used, 0), Math::min);
            } else if (isOpen.contains(used)) {
                reached.merge(type, order.getOrDefault(used, 0), Math::min);
            }
        }
        if (Objects.equals(reached.get(type), order.get(type))) {
            Set<String> knot = new TreeSet<>();
            String member;
            do {
                member = open.pop();
                isOpen.remove(member);
                knot.add(member);
            } while (!member.equals(type));
            knots.add(knot);
        }
    }

    /** {@return the largest set of types that all depend on each other, directly or indirectly} */
    Set<String> largestKnot() {
        return knots.stream()
                .max((left, right) -> Integer.compare(left.size(), right.size()))
                .orElse(Set.of());
    }

    /** {@return number of top-level types in each package} */
    Map<String, Integer> packageSizes() {
        Map<String, Integer> sizes = new TreeMap<>();
        uses.keySet().stream()
                .filter(type -> !type.endsWith("package-info") && !type.equals("module-info"))
                .forEach(type -> sizes.merge(type.substring(0, type.lastIndexOf('.')), 1, Integer::sum));
        return sizes;
    }
}

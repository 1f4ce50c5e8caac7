// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import com.sun.source.tree.PackageTree;
import com.sun.source.util.TreePath;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Checks that every package has a comment and is {@code @NullMarked}. */
final class PackageInfos {
    private static final String NAME = "package-info.java";

    private PackageInfos() {}

    /** Returns the violations in the main sources of a module. */
    static List<String> complaints(List<SourceFile> sources) {
        List<String> complaints = new ArrayList<>();
        Set<String> missing = new TreeSet<>();
        sources.stream()
                .filter(file -> !file.name().equals("module-info.java"))
                .map(PackageInfos::directory)
                .forEach(missing::add);
        for (SourceFile file : sources) {
            if (file.name().equals(NAME)) {
                missing.remove(directory(file));
                check(file.parse(), complaints);
            }
        }
        missing.forEach(directory -> complaints.add(directory + " has no " + NAME));
        return complaints;
    }

    private static void check(SourceFile.Parsed info, List<String> complaints) {
        PackageTree declaration = info.unit().getPackage();
        String comment = info.trees().getDocComment(new TreePath(new TreePath(info.unit()), declaration));
        if (comment == null || comment.isBlank()) {
            complaints.add(info.file().path() + " has no Javadoc");
        }
        if (declaration.getAnnotations().stream()
                .noneMatch(
                        annotation -> annotation.getAnnotationType().toString().equals("NullMarked"))) {
            complaints.add(info.file().path() + " is not @NullMarked");
        }
    }

    private static String directory(SourceFile file) {
        return file.path().substring(0, file.path().length() - file.name().length());
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import java.util.List;

/**
 * A command that the launcher script {@code ./rdma4j} executes itself, because it starts programs outside the tools.
 * This class provides only its help.
 *
 * @param name word that the user types
 * @param summary one line for the list of tools
 * @param usage synopsis; begins with {@code Usage: NAME}
 */
record LauncherWord(String name, String summary, String usage) {
    /** All launcher commands, in the order of the list. */
    static final List<LauncherWord> TABLE = List.of(
            new LauncherWord("bench", "how fast all this is, beside what the machine can do and what others do", """
                Usage: bench --peers [OPTION...]   rdma4j beside the limits of the machine and beside other libraries
                       bench --scale [OPTION...]   memory, connect rate and throughput of many queue pairs
                       bench --jmh [<pattern>...]  parts one by one, those whose names match a pattern

                './rdma4j bench --help' builds the benchmarks and shows the options.\
                """),
            new LauncherWord("dist", "make an archive of the tools that runs without JDK and Maven", """
                Usage: dist

                Writes target/rdma4j-VERSION-SYSTEM-PROCESSOR.tar.gz: the tools, a Java runtime, caches for a fast start,
                and bin/rdma4j, which runs from any directory.\
                """),
            new LauncherWord("example", "small programs to begin with; without a name it lists them", """
                Usage: example                    list the examples
                       example NAME [ARGUMENT...] build and run one

                Their sources are in examples/src/main/java/io/rdma4j/examples.\
                """),
            new LauncherWord("run", "run an unmodified program in C that uses libibverbs", """
                Usage: run PROGRAM [ARGUMENT...]

                The program gets the devices of rdma4j in place of the kernel's: no kernel module, no root, nothing is
                installed. 'programs' unpacks those of rdma-core and perftest where this command finds them.\
                """),
            new LauncherWord("test", "build everything and run all tests", """
                Usage: test [MAVEN-ARGUMENT...]

                Runs 'mvn verify' with the arguments, then prints how many tests passed and which rows of the feature
                list they proved. For one module and those that it needs: test -pl wire -am
                For one class: test -pl wire -am -Dtest=IcrcTest -Dsurefire.failIfNoSpecifiedTests=false\
                """));
}

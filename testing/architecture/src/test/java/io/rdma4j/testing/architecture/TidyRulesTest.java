// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Proves that each rule of {@link TidyTest} can fail. */
class TidyRulesTest {
    private static final String SHORT_BODY = "int i = 0;\n";

    @Test
    void aFunctionOfSixtyLinesPassesAndOneOfSixtyOneDoesNot() {
        assertThat(FunctionLength.tooLong(source("class A { void f() {\n" + SHORT_BODY.repeat(58) + "} }")
                        .parse()))
                .isEmpty();
        assertThat(FunctionLength.tooLong(source("class A { void f() {\n" + SHORT_BODY.repeat(59) + "} }")
                        .parse()))
                .containsExactly(Map.entry("m/A.java#f", 61));
    }

    @Test
    void constructorsInitializersAndLambdasAreFunctionsToo() {
        String body = "{\n" + SHORT_BODY.repeat(70) + "}";
        assertThat(FunctionLength.tooLong(source("class A { A() " + body + " }").parse()))
                .containsKey("m/A.java#<init>");
        assertThat(FunctionLength.tooLong(
                        source("class A { static " + body + " }").parse()))
                .containsKey("m/A.java#initializer");
        assertThat(FunctionLength.tooLong(
                        source("class A { Runnable r = () -> " + body + "; }").parse()))
                .containsKey("m/A.java#initializer");
    }

    @Test
    void aListOfExceptionsCanOnlyShrink() {
        ShrinkingList list = ShrinkingList.parse("# why\nm/A.java#f 70\n", _ -> 60);
        assertThat(list.complaints(Map.of("m/A.java#f", 70))).isEmpty();
        assertThat(list.complaints(Map.of("m/A.java#f", 71)))
                .singleElement()
                .asString()
                .contains("divide it");
        assertThat(list.complaints(Map.of("m/A.java#f", 65)))
                .singleElement()
                .asString()
                .contains("write 65");
        assertThat(list.complaints(Map.of())).singleElement().asString().contains("remove its line");
        assertThat(ShrinkingList.parse("", _ -> 60).complaints(Map.of("m/A.java#f", 61)))
                .hasSize(1);
    }

    @Test
    void bannedTextIsFoundWithItsLine() {
        BannedText banned = BannedText.parse(TidyTest.resource("banned-text.txt"));
        assertThat(banned.complaints("A.java", "fine\n// TODO later"))
                .singleElement()
                .asString()
                .startsWith("A.java:2");
        assertThat(banned.complaints("A.java", "// FIXME")).hasSize(1);
        assertThat(banned.complaints("A.java", "// XXX")).hasSize(1);
        assertThat(banned.complaints("A.java", "@Disabled void f()")).hasSize(1);
        assertThat(banned.complaints("A.java", "\"/home/me/x\"")).hasSize(1);
        assertThat(banned.complaints("A.java", "see /root/x and /mnt/y")).hasSize(2);
        assertThat(banned.complaints("A.java", "https://x.org/home/me todo XXXX /rooted/"))
                .isEmpty();
    }

    @Test
    void aPackageWithoutInfoOrJavadocOrNullMarkIsFound() {
        SourceFile type = new SourceFile("m/p/A.java", "package p; class A {}");
        assertThat(PackageInfos.complaints(List.of(type))).containsExactly("m/p/ has no package-info.java");
        assertThat(PackageInfos.complaints(List.of(type, info("@NullMarked package p;"))))
                .containsExactly("m/p/package-info.java has no Javadoc");
        assertThat(PackageInfos.complaints(List.of(type, info("/** What. */ package p;"))))
                .containsExactly("m/p/package-info.java is not @NullMarked");
        assertThat(PackageInfos.complaints(List.of(type, info("/** What. */ @NullMarked package p;"))))
                .isEmpty();
    }

    @Test
    void aTestClassWithAnotherNameIsFound() {
        assertThat(TestClasses.complaints(
                        source("class FooTests { @Test void works() {} }").parse()))
                .singleElement()
                .asString()
                .contains("never run");
        assertThat(TestClasses.complaints(source("class Foo { @Nested class In { @ParameterizedTest void f() {} } }")
                        .parse()))
                .hasSize(1);
        assertThat(TestClasses.complaints(source("abstract class FooKit { @Test void works() {} }")
                        .parse()))
                .isEmpty();
    }

    @Test
    void aTestClassWithoutTestsIsFound() {
        assertThat(TestClasses.complaints(
                        source("class FooTest { void forgotten() {} }").parse()))
                .singleElement()
                .asString()
                .contains("has no tests");
        assertThat(TestClasses.complaints(
                        source("class FooTest { @Test void works() {} }").parse()))
                .isEmpty();
        assertThat(TestClasses.complaints(
                        source("class FooTest extends FooKit {}").parse()))
                .isEmpty();
    }

    @Test
    void theClassThatMustHaveRunIsToldByItsFullName() {
        assertThat(TestClasses.expected(source("package p; class FooTest { @Test void works() {} }")
                        .parse()))
                .contains("p.FooTest");
        assertThat(TestClasses.expected(source("package p; class Helper {}").parse()))
                .isEmpty();
    }

    private static SourceFile source(String text) {
        return new SourceFile("m/A.java", text);
    }

    private static SourceFile info(String text) {
        return new SourceFile("m/p/package-info.java", text);
    }
}

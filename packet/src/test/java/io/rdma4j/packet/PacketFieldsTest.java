// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PacketFieldsTest {
    private static final Object SOMEBODY = new Object();
    private static final PacketDevice DEVICE = new PacketDevice() {
        @Override
        public String name() {
            return "eth7";
        }

        @Override
        public int ifindex() {
            return 7;
        }
    };

    private final SkBuffPool pool = new SkBuffPool(2, 128);

    @AfterEach
    void nothingIsLeaked() {
        pool.close();
        assertThat(pool.leaked()).isZero();
    }

    private SkBuff allocate() {
        return Objects.requireNonNull(pool.allocate());
    }

    /** A field with a value other than its default. */
    record Field(
            String name,
            Function<SkBuff, @Nullable Object> reader,
            Object value,
            BiConsumer<SkBuff, Object> writer,
            boolean copied) {
        static <T> Field copied(
                String name, Function<SkBuff, @Nullable T> reader, BiConsumer<SkBuff, T> writer, T value) {
            return of(name, reader, writer, value, true);
        }

        @SuppressWarnings("unchecked") // the value has the type of the setter's parameter
        static <T> Field of(
                String name,
                Function<SkBuff, @Nullable T> reader,
                BiConsumer<SkBuff, T> writer,
                T value,
                boolean copied) {
            return new Field(name, reader::apply, value, (skb, written) -> writer.accept(skb, (T) written), copied);
        }

        void write(SkBuff skb) {
            writer.accept(skb, value);
        }

        @Nullable
        Object read(SkBuff skb) {
            return reader.apply(skb);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Field> fields() {
        return Stream.of(
                Field.copied(
                        "tstamp",
                        skb -> skb.meta().tstamp(),
                        (skb, value) -> skb.meta().tstamp(value),
                        99L),
                Field.of(
                        "owner",
                        skb -> skb.meta().owner(),
                        (skb, value) -> skb.meta().owner(value),
                        SOMEBODY,
                        false),
                Field.copied(
                        "device",
                        skb -> skb.meta().device(),
                        (skb, value) -> skb.meta().device(value),
                        DEVICE),
                Field.copied(
                        "iif",
                        skb -> skb.meta().iif(),
                        (skb, value) -> skb.meta().iif(value),
                        7),
                Field.copied(
                        "securityPath",
                        skb -> skb.meta().securityPath(),
                        (skb, value) -> skb.meta().securityPath(value),
                        SOMEBODY),
                Field.copied(
                        "protocol",
                        skb -> skb.meta().protocol(),
                        (skb, value) -> skb.meta().protocol(value),
                        0x86DD),
                Field.copied(
                        "packetType",
                        skb -> skb.meta().packetType(),
                        (skb, value) -> skb.meta().packetType(value),
                        PacketType.MULTICAST),
                Field.copied(
                        "macLen",
                        skb -> skb.meta().macLen(),
                        (skb, value) -> skb.meta().macLen(value),
                        14),
                Field.copied(
                        "ipSummed",
                        skb -> skb.meta().ipSummed(),
                        (skb, value) -> skb.meta().ipSummed(value),
                        ChecksumState.PARTIAL),
                Field.copied(
                        "csum",
                        skb -> skb.meta().csum(),
                        (skb, value) -> skb.meta().csum(value),
                        0xFFFF_1234),
                Field.copied(
                        "localDf",
                        skb -> skb.meta().localDf(),
                        (skb, value) -> skb.meta().localDf(value),
                        true),
                Field.copied(
                        "encapsulation",
                        skb -> skb.meta().encapsulation(),
                        (skb, value) -> skb.meta().encapsulation(value),
                        true),
                Field.copied(
                        "noFcs",
                        skb -> skb.meta().noFcs(),
                        (skb, value) -> skb.meta().noFcs(value),
                        true),
                Field.copied(
                        "vlanTci",
                        skb -> skb.meta().vlanTci(),
                        (skb, tci) -> skb.meta().vlanTag(0x88A8, tci),
                        0x2001),
                Field.copied(
                        "vlanProto",
                        skb -> skb.meta().vlanProto(),
                        (skb, proto) -> skb.meta().vlanTag(proto, 0),
                        0x8100),
                Field.copied(
                        "vlanTagPresent",
                        skb -> skb.meta().vlanTagPresent(),
                        (skb, on) -> skb.meta().vlanTag(0, 0),
                        true),
                Field.copied(
                        "priority",
                        skb -> skb.meta().priority(),
                        (skb, value) -> skb.meta().priority(value),
                        6),
                Field.copied(
                        "queueMapping",
                        skb -> skb.meta().queueMapping(),
                        (skb, value) -> skb.meta().queueMapping(value),
                        3),
                Field.copied(
                        "hash",
                        skb -> skb.meta().hash(),
                        (skb, value) -> skb.meta().hash(value),
                        0x1234),
                Field.copied(
                        "l4Hash",
                        skb -> skb.meta().l4Hash(),
                        (skb, on) -> skb.meta().hash(5, on),
                        true),
                Field.copied(
                        "oooOkay",
                        skb -> skb.meta().oooOkay(),
                        (skb, value) -> skb.meta().oooOkay(value),
                        true),
                Field.copied(
                        "flow",
                        skb -> skb.marks().flow(),
                        (skb, flow) -> skb.marks().flow(flow, FlowState.NEW),
                        SOMEBODY),
                Field.copied(
                        "flowState",
                        skb -> skb.marks().flowState(),
                        (skb, state) -> skb.marks().flow(null, state),
                        FlowState.RELATED),
                Field.copied(
                        "ipvsProperty",
                        skb -> skb.marks().ipvsProperty(),
                        (skb, value) -> skb.marks().ipvsProperty(value),
                        true),
                Field.of(
                        "peeked",
                        skb -> skb.marks().peeked(),
                        (skb, value) -> skb.marks().peeked(value),
                        true,
                        false),
                Field.copied(
                        "trace",
                        skb -> skb.marks().trace(),
                        (skb, value) -> skb.marks().trace(value),
                        true),
                Field.copied(
                        "secmark",
                        skb -> skb.marks().secmark(),
                        (skb, value) -> skb.marks().secmark(value),
                        0x5EC),
                Field.copied(
                        "mark",
                        skb -> skb.marks().mark(),
                        (skb, value) -> skb.marks().mark(value),
                        0x1234));
    }

    @ParameterizedTest
    @MethodSource("fields")
    @Covers({"SKB-8", "SKB-10", "SKB-22", "SKB-23", "SKB-27", "SKB-28", "SKB-36", "SKB-53", "SKB-62", "SKB-63", "SKB-64"
    })
    void aFieldStartsClearGoesAlongAsItShouldAndIsClearForTheNextUser(Field field) {
        SkBuff skb = allocate();
        @Nullable Object clear = field.read(skb);
        assertThat(clear).isNotEqualTo(field.value());
        field.write(skb);
        assertThat(field.read(skb)).isEqualTo(field.value());

        SkBuff clone = Objects.requireNonNull(skb.cloneDescriptor());
        SkBuff copy = Objects.requireNonNull(skb.copy());
        Object expected = field.copied() ? field.value() : clear;
        assertThat(field.read(clone)).as("in the clone").isEqualTo(expected);
        assertThat(field.read(copy)).as("in the copy").isEqualTo(expected);
        skb.free();
        clone.free();
        copy.free();

        SkBuff first = allocate();
        SkBuff second = allocate();
        assertThat(field.read(first)).isEqualTo(clear);
        assertThat(field.read(second)).isEqualTo(clear);
        first.free();
        second.free();
    }

    @Test
    @Covers({"SKB-60", "SKB-61"})
    void aTagOfVlanZeroIsATagToo() {
        SkBuff skb = allocate();
        assertThat(skb.meta().vlanTagPresent()).isFalse();
        skb.meta().vlanTag(0x8100, 0);
        assertThat(skb.meta().vlanTagPresent()).isTrue();
        skb.meta().clearVlanTag();
        assertThat(skb.meta().vlanTagPresent()).isFalse();
        assertThat(skb.meta().vlanProto()).isZero();
        skb.free();
    }

    @Test
    @Covers({"SKB-70", "SKB-71", "SKB-72"})
    void aLabelIsCopiedAndTakenAway() {
        SkBuff labelled = allocate();
        SkBuff other = allocate();
        labelled.marks().secmark(0x5EC);
        other.marks().copySecmark(labelled.marks());
        assertThat(other.marks().secmark()).isEqualTo(0x5EC);
        labelled.marks().initSecmark();
        assertThat(labelled.marks().secmark()).isZero();
        assertThat(other.marks().secmark()).isEqualTo(0x5EC);
        labelled.free();
        other.free();
    }

    @Test
    @Covers("SKB-73")
    void markDropCountAndReservedTailroomAreOneWord() {
        SkBuff skb = allocate();
        skb.marks().mark(0x1234);
        assertThat(skb.marks().dropcount()).isEqualTo(0x1234);
        skb.marks().dropcount(5);
        assertThat(skb.marks().reservedTailroom()).isEqualTo(5);
        skb.marks().reservedTailroom(9);
        assertThat(skb.marks().mark()).isEqualTo(9);
        skb.free();
    }

    @Test
    @Covers({"SKB-8", "SKB-9"})
    void anOrphanHasNoOwner() {
        SkBuff skb = allocate();
        skb.meta().owner(SOMEBODY);
        skb.orphan();
        assertThat(skb.meta().owner()).isNull();
        skb.free();
    }

    @Test
    @Covers({"SKB-52"})
    void aTraceEndsAndAFlowIsLeft() {
        SkBuff skb = allocate();
        skb.marks().trace(true);
        skb.marks().flow(SOMEBODY, FlowState.ESTABLISHED);
        skb.marks().resetTrace();
        assertThat(skb.marks().trace()).isFalse();
        assertThat(skb.marks().flow()).isSameAs(SOMEBODY);
        skb.marks().resetFlow();
        assertThat(skb.marks().flow()).isNull();
        assertThat(skb.marks().flowState()).isEqualTo(FlowState.UNTRACKED);
        skb.free();
    }
}

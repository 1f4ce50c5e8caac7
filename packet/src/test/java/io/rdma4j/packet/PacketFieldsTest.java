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
        static <T> Field meta(
                String name,
                Function<PacketMeta, @Nullable T> reader,
                BiConsumer<PacketMeta, T> writer,
                T value,
                boolean copied) {
            return of(name, skb -> reader.apply(skb.meta()), (skb, t) -> writer.accept(skb.meta(), t), value, copied);
        }

        static <T> Field marks(
                String name,
                Function<PacketMarks, @Nullable T> reader,
                BiConsumer<PacketMarks, T> writer,
                T value,
                boolean copied) {
            return of(name, skb -> reader.apply(skb.marks()), (skb, t) -> writer.accept(skb.marks(), t), value, copied);
        }

        @SuppressWarnings("unchecked") // the value has the type of the setter's parameter
        private static <T> Field of(
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
        return Stream.of(metaFields(), markFields()).flatMap(fields -> fields);
    }

    private static Stream<Field> metaFields() {
        return Stream.of(
                Field.meta("tstamp", PacketMeta::tstamp, PacketMeta::tstamp, 99L, true),
                Field.meta("owner", PacketMeta::owner, PacketMeta::owner, SOMEBODY, false),
                Field.meta("device", PacketMeta::device, PacketMeta::device, DEVICE, true),
                Field.meta("iif", PacketMeta::iif, PacketMeta::iif, 7, true),
                Field.meta("securityPath", PacketMeta::securityPath, PacketMeta::securityPath, SOMEBODY, true),
                Field.meta("protocol", PacketMeta::protocol, PacketMeta::protocol, 0x86DD, true),
                Field.meta("packetType", PacketMeta::packetType, PacketMeta::packetType, PacketType.MULTICAST, true),
                Field.meta("macLen", PacketMeta::macLen, PacketMeta::macLen, 14, true),
                Field.meta("ipSummed", PacketMeta::ipSummed, PacketMeta::ipSummed, ChecksumState.PARTIAL, true),
                Field.meta("csum", PacketMeta::csum, PacketMeta::csum, 0xFFFF_1234, true),
                Field.meta("localDf", PacketMeta::localDf, PacketMeta::localDf, true, true),
                Field.meta("encapsulation", PacketMeta::encapsulation, PacketMeta::encapsulation, true, true),
                Field.meta("noFcs", PacketMeta::noFcs, PacketMeta::noFcs, true, true),
                Field.meta("priority", PacketMeta::priority, PacketMeta::priority, 6, true),
                Field.meta("queueMapping", PacketMeta::queueMapping, PacketMeta::queueMapping, 3, true),
                Field.meta("hash", PacketMeta::hash, PacketMeta::hash, 0x1234, true),
                Field.meta("oooOkay", PacketMeta::oooOkay, PacketMeta::oooOkay, true, true));
    }

    private static Stream<Field> markFields() {
        return Stream.of(
                Field.marks("ipvsProperty", PacketMarks::ipvsProperty, PacketMarks::ipvsProperty, true, true),
                Field.marks("peeked", PacketMarks::peeked, PacketMarks::peeked, true, false),
                Field.marks("trace", PacketMarks::trace, PacketMarks::trace, true, true),
                Field.marks("secmark", PacketMarks::secmark, PacketMarks::secmark, 0x5EC, true),
                Field.marks("mark", PacketMarks::mark, PacketMarks::mark, 0x1234, true),
                Field.meta("vlanTci", PacketMeta::vlanTci, (meta, tci) -> meta.vlanTag(0x88A8, tci), 0x2001, true),
                Field.meta("vlanProto", PacketMeta::vlanProto, (meta, proto) -> meta.vlanTag(proto, 0), 0x8100, true),
                Field.meta("vlanTagPresent", PacketMeta::vlanTagPresent, (meta, on) -> meta.vlanTag(0, 0), true, true),
                Field.meta("l4Hash", PacketMeta::l4Hash, (meta, on) -> meta.hash(5, on), true, true),
                Field.marks(
                        "flow", PacketMarks::flow, (marks, flow) -> marks.flow(flow, FlowState.NEW), SOMEBODY, true),
                Field.marks(
                        "flowState",
                        PacketMarks::flowState,
                        (marks, state) -> marks.flow(null, state),
                        FlowState.RELATED,
                        true));
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

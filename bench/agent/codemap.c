// SPDX-License-Identifier: Apache-2.0
// A JVMTI agent for "bench --count --methods": writes where compiled code is, and which methods each place is part of.
//
//    M START BYTES METHOD               compiled code of a method; addresses are hexadecimal
//    P ADDRESS METHOD METHOD...         a place in it for which the compiler has kept the methods, outermost first
//    D START BYTES NAME                 code that the JVM has generated, such as copies of memory
#include <jvmti.h>
#include <jvmticmlr.h>
#include <stdio.h>
#include <string.h>

static FILE *map;
static jvmtiEnv *tools;

// Writes "package.Class.method"; the JVM's names have the form "Lpackage/Class;".
static void write_method(jmethodID method) {
    char *name = NULL, *signature = NULL;
    jclass declaring;
    if ((*tools)->GetMethodName(tools, method, &name, NULL, NULL) == JVMTI_ERROR_NONE
            && (*tools)->GetMethodDeclaringClass(tools, method, &declaring) == JVMTI_ERROR_NONE
            && (*tools)->GetClassSignature(tools, declaring, &signature, NULL) == JVMTI_ERROR_NONE) {
        size_t length = strlen(signature);
        for (size_t i = 1; i + 1 < length; i++) {
            fputc(signature[i] == '/' ? '.' : signature[i], map);
        }
        fprintf(map, ".%s", name);
    } else {
        fputs("unknown.unknown", map);
    }
    (*tools)->Deallocate(tools, (unsigned char *)name);
    (*tools)->Deallocate(tools, (unsigned char *)signature);
}

static void write_place(const PCStackInfo *place) {
    fprintf(map, "P %lx", (unsigned long)place->pc);
    for (int i = place->numstackframes - 1; i >= 0; i--) {
        fputc(' ', map);
        write_method(place->methods[i]);
    }
    fputc('\n', map);
}

static void JNICALL method_loaded(jvmtiEnv *env, jmethodID method, jint bytes, const void *start, jint entries,
        const jvmtiAddrLocationMap *locations, const void *info) {
    flockfile(map);
    fprintf(map, "M %lx %x ", (unsigned long)start, (unsigned)bytes);
    write_method(method);
    fputc('\n', map);
    for (const jvmtiCompiledMethodLoadRecordHeader *header = info; header != NULL; header = header->next) {
        if (header->kind == JVMTI_CMLR_INLINE_INFO) {
            const jvmtiCompiledMethodLoadInlineRecord *record = (const void *)header;
            for (int i = 0; i < record->numpcs; i++) {
                write_place(&record->pcinfo[i]);
            }
        }
    }
    fflush(map);
    funlockfile(map);
}

static void JNICALL code_generated(jvmtiEnv *env, const char *name, const void *start, jint bytes) {
    fprintf(map, "D %lx %x %s\n", (unsigned long)start, (unsigned)bytes, name);
    fflush(map);
}

// The option is the name of the file.
JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    map = fopen(options, "w");
    if (map == NULL || (*vm)->GetEnv(vm, (void **)&tools, JVMTI_VERSION_1_2) != JNI_OK) {
        return JNI_ERR;
    }
    jvmtiCapabilities wanted = {.can_generate_compiled_method_load_events = 1};
    jvmtiEventCallbacks callbacks = {.CompiledMethodLoad = method_loaded, .DynamicCodeGenerated = code_generated};
    jvmtiError failed = (*tools)->AddCapabilities(tools, &wanted);
    failed |= (*tools)->SetEventCallbacks(tools, &callbacks, sizeof callbacks);
    failed |= (*tools)->SetEventNotificationMode(tools, JVMTI_ENABLE, JVMTI_EVENT_COMPILED_METHOD_LOAD, NULL);
    failed |= (*tools)->SetEventNotificationMode(tools, JVMTI_ENABLE, JVMTI_EVENT_DYNAMIC_CODE_GENERATED, NULL);
    return failed == JVMTI_ERROR_NONE ? JNI_OK : JNI_ERR;
}

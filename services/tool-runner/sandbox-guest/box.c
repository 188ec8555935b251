/* The guest: QuickJS-NG as a WebAssembly module without imports, driven by its host as a step machine.
 *
 *   host -> guest   JSON in the buffer `input`, or in box_alloc(n) where it is larger; then box_start / box_step /
 *                   box_preload(pointer, n)
 *   guest -> host   lines of JSON ("frames") in a buffer that `box` describes; src/wire.js says which there are
 *
 * There is no call from here to the host, so nothing to escape through and nothing that re-enters it. Clock and
 * randomness are what the host put into `box`: a run is determined by what the host writes.                       */
#include "quickjs.c"
#include <errno.h>

#define EXPORT(name) __attribute__((export_name(name), used))
#define DEEPEST 100                 /* nesting of what is sent: the host decodes it with a recursive reader */

/* Shared with the host, which has the offsets in sandbox/guest.py. box_state() gives the address. */
typedef struct {
    uint32_t out_ptr, out_len;      /*  0,4  frames of this step */
    uint32_t interrupt;             /*  8    set by the host: stop the JavaScript with an exception */
    uint32_t out_limit;             /* 12    bytes of frames that one step may leave */
    uint64_t now_us;                /* 16    wall clock; set by the host at each step */
    uint64_t mono_us;               /* 24    monotonic clock; the same */
    uint64_t seed;                  /* 32    of Math.random */
    uint32_t tick_us;               /* 40    how far each reading moves the clock on, so that waiting loops end */
    uint32_t heap_limit;            /* 44    bytes of JavaScript heap */
    uint32_t impure;                /* 48    whether clock or randomness were read in this step */
    uint32_t heap_used;             /* 52    bytes at the end of the step */
    uint32_t in_ptr, in_size;       /* 56,60 `input` */
    uint32_t granted, wanted;       /* 64,68 bytes of memory that it may have, and waits for */
} box_state_t;
static char input[16 << 10];        /* ends with a NUL that the host writes: most steps fit, and need no box_alloc */
static box_state_t box = { .out_limit = 16u << 20, .tick_us = 20, .now_us = 1, .seed = 1, .in_size = sizeof(input), .granted = UINT32_MAX };
static uint32_t out_cap;
static int finished;

static JSRuntime *rt;
static JSContext *cx;
static JSValue fn_start, fn_step, fn_finish, fn_preload, fn_rejection;
static JSValue (*privileged_eval)(JSContext *, JSValueConst, const char *, size_t, const char *, int, int, int);

/* ---- the clock ---- */
int gettimeofday(struct timeval *restrict tv, void *restrict tz) {
    (void)tz; box.impure = 1; box.now_us += box.tick_us;
    tv->tv_sec = box.now_us / 1000000; tv->tv_usec = box.now_us % 1000000; return 0;
}
int clock_gettime(clockid_t id, struct timespec *ts) {
    (void)id; box.impure = 1; box.mono_us += box.tick_us;
    ts->tv_sec = box.mono_us / 1000000; ts->tv_nsec = (box.mono_us % 1000000) * 1000; return 0;
}
time_t time(time_t *t) { time_t v = box.now_us / 1000000; box.impure = 1; if (t) *t = v; return v; }

/* ---- memory ---- */
/* Instead of libc's. What all guests have together is counted by the host: more than it granted is waited for, which
 * the host sees when its slice ends; it runs this guest on when there is room. */
void *sbrk(intptr_t n) {
    size_t size = __builtin_wasm_memory_size(0) * (size_t)65536;
    if (n == 0) return (void *)size;
    if (n < 0 || n % 65536) __builtin_trap();
    if (size + n > box.granted) {
        box.wanted = size + n;
        while (size + n > *(volatile uint32_t *)&box.granted) {}
        box.wanted = 0;
    }
    if (__builtin_wasm_memory_grow(0, n / 65536) == SIZE_MAX) { errno = ENOMEM; return (void *)-1; }
    return (void *)size;
}

/* ---- frames ---- */
static int reserve(size_t n) {
    if ((uint64_t)box.out_len + n > box.out_limit) return -1;
    if (box.out_len + n > out_cap) {
        uint32_t cap = out_cap ? out_cap : 4096;
        while (cap < box.out_len + n) cap *= 2;
        void *p = realloc((void *)(uintptr_t)box.out_ptr, cap);
        if (!p) return -1;
        box.out_ptr = (uint32_t)(uintptr_t)p; out_cap = cap;
    }
    return 0;
}
/* One frame. Lone surrogates, which JSON.stringify writes as \udXXX and no UTF-8 has, become U+FFFD.
 * -1: too much for one step; -2: nested too deeply. */
static int out_write(const char *s, size_t n) {
    if (reserve(n + 1)) return -1;
    char *out = (char *)(uintptr_t)box.out_ptr + box.out_len;
    int depth = 0, in_string = 0;
    memcpy(out, s, n);
    for (size_t i = 0; i < n; i++) {
        char c = out[i];
        if (in_string) {
            if (c == '"') in_string = 0;
            else if (c == '\\') {
                if (i + 5 < n && out[i + 1] == 'u' && out[i + 2] == 'd' && strchr("89abcdef", out[i + 3])) memcpy(out + i + 2, "fffd", 4);
                i++;
            }
        } else if (c == '"') in_string = 1;
        else if (c == '[' || c == '{') { if (++depth > DEEPEST) return -2; }
        else if (c == ']' || c == '}') depth--;
    }
    out[n] = '\n'; box.out_len += n + 1;
    if (n > 2 && (s[2] == 'r' || s[2] == 'e')) finished = 1;
    return 0;
}
static JSValue js_emit(JSContext *c, JSValueConst t, int argc, JSValueConst *argv) {
    size_t n; const char *s = JS_ToCStringLen(c, &n, argv[0]); if (!s) return JS_EXCEPTION;
    int r = out_write(s, n); JS_FreeCString(c, s);
    if (r == -1) return JS_ThrowRangeError(c, "more was sent at once than %u MB", box.out_limit >> 20);
    if (r == -2) return JS_ThrowRangeError(c, "nested more than %d levels deep", DEEPEST);
    return JS_UNDEFINED;
}

/* compile(source, file, first line): the one way from text to code; what user code has is off. */
static JSValue js_compile(JSContext *c, JSValueConst t, int argc, JSValueConst *argv) {
    int line; if (JS_ToInt32(c, &line, argv[2])) return JS_EXCEPTION;
    size_t n; const char *s = JS_ToCStringLen(c, &n, argv[0]); if (!s) return JS_EXCEPTION;
    const char *f = JS_ToCString(c, argv[1]); if (!f) { JS_FreeCString(c, s); return JS_EXCEPTION; }
    c->eval_internal = privileged_eval;
    JSValue v = JS_EvalInternal(c, c->global_obj, s, n, f, line, JS_EVAL_TYPE_GLOBAL, -1);
    c->eval_internal = NULL;
    JS_FreeCString(c, s); JS_FreeCString(c, f); return v;
}

/* digest(name, bytes) and hmac(name, key, bytes), of hash.zig */
size_t box_hash(uint32_t bits, const uint8_t *key, size_t key_size, const uint8_t *data, size_t size, uint8_t *out);
static JSValue js_hash(JSContext *c, JSValueConst t, int argc, JSValueConst *argv, int keyed) {
    uint8_t out[64]; size_t size, key_size = 0; const uint8_t *key = NULL;
    const char *name = JS_ToCString(c, argv[0]); if (!name) return JS_EXCEPTION;
    uint32_t bits = strncmp(name, "SHA-", 4) ? 0 : atoi(name + 4);
    JS_FreeCString(c, name);
    if (keyed && !(key = JS_GetUint8Array(c, &key_size, argv[1]))) return JS_EXCEPTION;
    const uint8_t *data = JS_GetUint8Array(c, &size, argv[1 + keyed]);
    if (!data && size) return JS_EXCEPTION;
    size_t n = box_hash(bits, key, key_size, data ? data : out, size, out);
    return n ? JS_NewUint8ArrayCopy(c, out, n) : JS_ThrowTypeError(c, "no such hash");
}

/* data(key): the value of a line of intl.txt, undefined where there is none */
static const char intl[] = {
#include "intl.inc"
};
static JSValue js_data(JSContext *c, JSValueConst t, int argc, JSValueConst *argv) {
    size_t n; const char *key = JS_ToCStringLen(c, &n, argv[0]); if (!key) return JS_EXCEPTION;
    JSValue found = JS_UNDEFINED;
    const char *low = intl + 1, *high = intl + sizeof(intl) - 1; /* lines are sorted by key, each ends */
    while (low < high) {
        const char *line = low + (high - low) / 2, *end;
        while (line > low && line[-1] != '\n') line--;
        for (end = line; *end != '\n';) end++;
        size_t i = 0;
        while (i < n && line[i] == key[i]) i++;
        if (i == n && line[i] == '\t') { found = JS_NewStringLen(c, line + n + 1, end - line - n - 1); break; }
        if (i < n && (unsigned char)line[i] < (unsigned char)key[i]) low = end + 1;
        else high = line;
    }
    JS_FreeCString(c, key);
    return found;
}

static int on_interrupt(JSRuntime *r, void *o) { return *(volatile uint32_t *)&box.interrupt != 0; }
static void on_rejection(JSContext *c, JSValueConst promise, JSValueConst reason, bool handled, void *o) {
    JSValue args[3] = { promise, reason, JS_NewBool(c, handled) };
    JSValue r = JS_Call(c, fn_rejection, JS_UNDEFINED, 3, vc(args));
    if (JS_IsException(r)) JS_FreeValue(c, JS_GetException(c)); else JS_FreeValue(c, r);
}

static void emit_fatal(void) {
    static const char fallback[] = "[\"e\",{\"name\":\"InternalError\",\"message\":\"out of memory or stack\"}]";
    JSValue e = JS_GetException(cx);
    JSValue args[1] = { e };
    JSValue r = JS_Call(cx, fn_finish, JS_UNDEFINED, 1, vc(args));
    if (JS_IsException(r)) { JS_FreeValue(cx, JS_GetException(cx)); out_write(fallback, sizeof(fallback) - 1); }
    else JS_FreeValue(cx, r);
    JS_FreeValue(cx, e);
}
/* 0: waits for the host, 1: finished, 2: stuck (nothing is pending), 3: ended by an error that no code could catch */
static int run(JSValue fn, char *p, uint32_t n) {
    int32_t status = 3; JSContext *c1;
    JS_UpdateStackTop(rt);
    box.out_len = 0; box.impure = 0; finished = 0;
    uint64_t random = cx->random_state;
    JSValue in = JS_ParseJSON(cx, p, n, "<host>");
    if (p != input) free(p);
    if (JS_IsException(in)) goto fatal;
    JSValue args[1] = { in };
    JSValue r = JS_Call(cx, fn, JS_UNDEFINED, 1, vc(args));
    JS_FreeValue(cx, in);
    if (JS_IsException(r)) goto fatal;
    JS_FreeValue(cx, r);
    while (!finished) { int k = JS_ExecutePendingJob(rt, &c1); if (k < 0) goto fatal; if (k == 0) break; }
    r = JS_Call(cx, fn_finish, JS_UNDEFINED, 0, NULL);
    if (JS_IsException(r)) goto fatal;
    JS_ToInt32(cx, &status, r); JS_FreeValue(cx, r);
    goto end;
fatal:
    box.interrupt = 0;                                      /* so that the reporter of the error can run, */
    rt->malloc_state.malloc_limit += 4u << 20;              /* with a little heap to spare */
    emit_fatal();
end:
    if (cx->random_state != random) box.impure = 1;
    box.heap_used = rt->malloc_state.malloc_size;
    return status;
}

EXPORT("box_state") uint32_t box_state(void) { return (uint32_t)(uintptr_t)&box; }
EXPORT("box_alloc") uint32_t box_alloc(uint32_t n) { char *p = malloc((size_t)n + 1); if (p) p[n] = 0; return (uint32_t)(uintptr_t)p; }
static void prepare(void) {
    cx->random_state = box.seed ? box.seed : 1;
    for (int i = 0; i < 4; i++) xorshift64star(&cx->random_state);
    if (box.heap_limit) JS_SetMemoryLimit(rt, box.heap_limit);
}
EXPORT("box_start") int box_start(uint32_t p, uint32_t n) { prepare(); return run(fn_start, (char *)(uintptr_t)p, n); }
EXPORT("box_step") int box_step(uint32_t p, uint32_t n) { return run(fn_step, (char *)(uintptr_t)p, n); }
/* Libraries alone: the host keeps what memory changed against a fresh instance, and restores it in later ones. */
EXPORT("box_preload") int box_preload(uint32_t p, uint32_t n) {
    prepare(); int status = run(fn_preload, (char *)(uintptr_t)p, n); JS_RunGC(rt); return status;
}

#ifdef PRELUDE_COMPILER
/* Built once for this alone, by `build`: the prelude's source becomes bytecode, without the text of which
 * each function would keep a copy. In the guest itself, parsing would leave its litter between the objects that every
 * run touches, and each page of memory that a run writes to costs it some microseconds. */
EXPORT("box_bytecode") uint32_t box_bytecode(uint32_t p, uint32_t n) {
    size_t size;
    JSContext *c = JS_NewContext(JS_NewRuntime());
    JSValue compiled = JS_Eval(c, (char *)(uintptr_t)p, n, "<prelude>", JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_COMPILE_ONLY);
    if (JS_IsException(compiled)) __builtin_trap();
    box.out_ptr = (uint32_t)(uintptr_t)JS_WriteObject(c, &size, compiled, JS_WRITE_OBJ_BYTECODE | JS_WRITE_OBJ_STRIP_SOURCE);
    return size;
}
#else
static const uint8_t prelude[] = {
#include "prelude.inc"
};

EXPORT("wizer-initialize") void box_init(void) {
    rt = JS_NewRuntime();
    JS_SetMaxStackSize(rt, BOX_JS_STACK);
    JS_SetMemoryLimit(rt, 120u << 20);
    JS_SetGCThreshold(rt, 2u << 20);
    cx = JS_NewContext(rt);
    privileged_eval = cx->eval_internal;
    JS_SetInterruptHandler(rt, on_interrupt, NULL);
    JSValue boot = JS_EvalFunction(cx, JS_ReadObject(cx, prelude, sizeof(prelude), JS_READ_OBJ_BYTECODE));
    if (JS_IsException(boot)) __builtin_trap();
    JSValue native = JS_NewObject(cx);
    JS_SetPropertyStr(cx, native, "digest", JS_NewCFunctionMagic(cx, js_hash, "digest", 2, JS_CFUNC_generic_magic, 0));
    JS_SetPropertyStr(cx, native, "hmac", JS_NewCFunctionMagic(cx, js_hash, "hmac", 3, JS_CFUNC_generic_magic, 1));
    JS_SetPropertyStr(cx, native, "data", JS_NewCFunction(cx, js_data, "data", 1));
    JSValue a[3] = { JS_NewCFunction(cx, js_emit, "emit", 1), JS_NewCFunction(cx, js_compile, "compile", 3), native };
    JSValue api = JS_Call(cx, boot, JS_UNDEFINED, 3, vc(a));
    if (JS_IsException(api)) __builtin_trap();
    fn_start = JS_GetPropertyStr(cx, api, "start"); fn_step = JS_GetPropertyStr(cx, api, "step");
    fn_finish = JS_GetPropertyStr(cx, api, "finish"); fn_preload = JS_GetPropertyStr(cx, api, "preload");
    fn_rejection = JS_GetPropertyStr(cx, api, "rejection");
    JS_SetHostPromiseRejectionTracker(rt, on_rejection, NULL);
    JS_FreeValue(cx, api); JS_FreeValue(cx, boot); JS_FreeValue(cx, native);
    cx->eval_internal = NULL;                               /* no eval, no Function */
    JS_FreeValue(cx, cx->error_back_trace);                 /* the stack of the prelude's last error, and all it holds */
    cx->error_back_trace = JS_UNDEFINED;
    JS_RunGC(rt);
    reserve(1u << 16);                                      /* so that out of memory can still be said */
    box.out_len = 0; box.impure = 0;
    box.in_ptr = (uint32_t)(uintptr_t)input;
}
#endif

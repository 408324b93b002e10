/* Calls the kernels from Python, by CPython's stable ABI (3.11 and later).
 *
 * functions(address, count) makes one builtin function of every row of the library's table. A call
 * checks its arguments against the row's codes, writes numbers, addresses and shapes into slots, gives
 * up the interpreter lock, and calls the kernel; see supple/kernels/library.py for the slots.
 *
 * What the stable ABI promises is declared here, so that no headers of Python are needed and every
 * platform can be built from one machine.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef _WIN32
#define API __declspec(dllimport)
#define EXPORT __declspec(dllexport)
#else
#define API extern
#define EXPORT __attribute__((visibility("default")))
#endif

typedef struct _object PyObject;
typedef ptrdiff_t Py_ssize_t;

typedef struct {
    void *buf;
    PyObject *obj;
    Py_ssize_t len, itemsize;
    int readonly, ndim;
    char *format;
    Py_ssize_t *shape, *strides, *suboffsets;
    void *internal;
} Py_buffer;

typedef struct {
    const char *name;
    PyObject *(*call)(PyObject *, PyObject *const *, Py_ssize_t);
    int flags;
    const char *doc;
} PyMethodDef;

typedef struct {
    struct {
        Py_ssize_t refcount;
        void *type;
    } head;
    PyObject *(*init)(void);
    Py_ssize_t index;
    PyObject *copy;
    const char *name, *doc;
    Py_ssize_t size;
    PyMethodDef *methods;
    void *slots, *traverse, *clear, *free;
} PyModuleDef;

#define METH_FASTCALL 0x0080
#define PyBUF_C_CONTIGUOUS 0x0038
#define PyBUF_FORMAT 0x0004
#define PYTHON_API_VERSION 1013

API PyObject *PyExc_TypeError;
API PyObject *PyErr_Format(PyObject *, const char *, ...);
API PyObject *PyErr_Occurred(void);
API int PyObject_GetBuffer(PyObject *, Py_buffer *, int);
API void PyBuffer_Release(Py_buffer *);
API long long PyLong_AsLongLong(PyObject *);
API double PyFloat_AsDouble(PyObject *);
API int PyObject_IsTrue(PyObject *);
API PyObject *PyLong_FromLongLong(long long);
API PyObject *PyFloat_FromDouble(double);
API PyObject *PyBool_FromLong(long);
API PyObject *PyTuple_New(Py_ssize_t);
API int PyTuple_SetItem(PyObject *, Py_ssize_t, PyObject *);
API PyObject *PyDict_New(void);
API int PyDict_SetItemString(PyObject *, const char *, PyObject *);
API PyObject *PyCapsule_New(void *, const char *, void *);
API void *PyCapsule_GetPointer(PyObject *, const char *);
API PyObject *PyCFunction_NewEx(PyMethodDef *, PyObject *, PyObject *);
API PyObject *PyUnicode_FromStringAndSize(const char *, Py_ssize_t);
API void *PyEval_SaveThread(void);
API void PyEval_RestoreThread(void *);
API void Py_DecRef(PyObject *);
API void *PyMem_Malloc(size_t);
API PyObject *PyModule_Create2(PyModuleDef *, int);
API PyObject *Py_BuildValue(const char *, ...);

typedef struct {
    const char *name;
    const char *codes;
    void (*call)(int64_t *);
} Row;

enum { MOST_ARRAYS = 12, MOST_SLOTS = 80 };

/* True if an array's items are of the kind that a code asks for. */
static int is_kind(const Py_buffer *view, char code) {
    const char *format = view->format ? view->format : "B";
    if (*format == '@' || *format == '=' || *format == '<')
        ++format;
    if (!*format || format[1])
        return 0;
    switch (code) {
    case 'F': return *format == 'd';
    case 'I': return view->itemsize == 8 && (*format == 'l' || *format == 'q');
    case 'U': return *format == 'B';
    default: return 0;
    }
}

static PyObject *result_of(char code, int64_t slot) {
    double number;
    switch (code) {
    case 'f':
        memcpy(&number, &slot, sizeof number);
        return PyFloat_FromDouble(number);
    case 'b': return PyBool_FromLong(slot != 0);
    default: return PyLong_FromLongLong(slot);
    }
}

static PyObject *results(const char *codes, const int64_t *slots) {
    size_t count = strlen(codes);
    if (count == 0)
        return Py_BuildValue("");
    if (count == 1)
        return result_of(codes[0], slots[0]);
    PyObject *all = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; all && i < count; ++i) {
        PyObject *one = result_of(codes[i], slots[i]);
        if (!one || PyTuple_SetItem(all, (Py_ssize_t)i, one) < 0) {
            Py_DecRef(all);
            return NULL;
        }
    }
    return all;
}

static PyObject *call(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    const Row *row = PyCapsule_GetPointer(self, NULL);
    Py_buffer views[MOST_ARRAYS];
    int64_t slots[MOST_SLOTS];
    int held = 0, at = 1;
    Py_ssize_t given = 0;
    PyObject *answer = NULL;
    const char *code;
    if (!row)
        return NULL;
    slots[0] = 0;
    for (code = row->codes; *code && *code != '>'; ++code, ++given) {
        if (given == count || held == MOST_ARRAYS || at > MOST_SLOTS - 8) {
            PyErr_Format(PyExc_TypeError, "%s: not called with %zd arguments", row->name, count);
            goto done;
        }
        PyObject *value = arguments[given];
        if (*code == 'i') {
            slots[at++] = PyLong_AsLongLong(value);
            if (slots[at - 1] == -1 && PyErr_Occurred())
                goto done;
        } else if (*code == 'f') {
            double number = PyFloat_AsDouble(value);
            if (number == -1.0 && PyErr_Occurred())
                goto done;
            memcpy(&slots[at++], &number, sizeof number);
        } else if (*code == 'b') {
            slots[at] = PyObject_IsTrue(value);
            if (slots[at++] < 0)
                goto done;
        } else {
            char kind = *code++;
            int axes = *code - '0';
            Py_buffer *view = &views[held];
            if (PyObject_GetBuffer(value, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0)
                goto done;
            ++held;
            if (view->ndim != axes || !is_kind(view, kind)) {
                PyErr_Format(PyExc_TypeError, "%s: argument %zd: expected code %c%d", row->name,
                             given, kind, axes);
                goto done;
            }
            slots[at++] = (int64_t)(intptr_t)view->buf;
            for (int axis = 0; axis < axes; ++axis)
                slots[at++] = view->shape[axis];
        }
    }
    if (given != count) {
        PyErr_Format(PyExc_TypeError, "%s: expected %zd arguments", row->name, given);
        goto done;
    }
    void *thread = PyEval_SaveThread();
    row->call(slots);
    PyEval_RestoreThread(thread);
    answer = results(*code ? code + 1 : code, slots + at);
done:
    while (held > 0)
        PyBuffer_Release(&views[--held]);
    return answer;
}

static PyObject *functions(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    (void)self;
    if (count != 2)
        return PyErr_Format(PyExc_TypeError, "expected the table's address and how many rows it has");
    const Row *rows = (const Row *)(intptr_t)PyLong_AsLongLong(arguments[0]);
    long long size = PyLong_AsLongLong(arguments[1]);
    PyObject *all = rows ? PyDict_New() : NULL;
    for (long long i = 0; all && i < size; ++i) {
        const char *last = strrchr(rows[i].name, '.');
        PyMethodDef *method = PyMem_Malloc(sizeof *method); /* lives as long as the process */
        PyObject *capsule = PyCapsule_New((void *)&rows[i], NULL, NULL);
        char place[160] = "supple.";
        size_t length = (size_t)(last - rows[i].name);
        PyObject *module = NULL;
        if (length < sizeof place - 7) {
            memcpy(place + 7, rows[i].name, length);
            module = PyUnicode_FromStringAndSize(place, (Py_ssize_t)length + 7);
        }
        PyObject *one = NULL;
        if (method && capsule && module) {
            *method = (PyMethodDef){last + 1, call, METH_FASTCALL, rows[i].codes};
            one = PyCFunction_NewEx(method, capsule, module);
        }
        if (!one || PyDict_SetItemString(all, rows[i].name, one) < 0) {
            Py_DecRef(all);
            all = NULL;
        }
        if (one)
            Py_DecRef(one);
        if (capsule)
            Py_DecRef(capsule);
        if (module)
            Py_DecRef(module);
    }
    return all;
}

static PyMethodDef methods[] = {
    {"functions", functions, METH_FASTCALL, "Every row of a table of entries as a function, by name."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef definition = {
    {1, NULL}, NULL, 0, NULL, "border", "Calls the kernels; see supple.kernels.library.", -1,
    methods, NULL, NULL, NULL, NULL,
};

EXPORT PyObject *PyInit_border(void) { return PyModule_Create2(&definition, PYTHON_API_VERSION); }

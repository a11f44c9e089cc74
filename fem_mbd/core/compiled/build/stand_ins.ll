; What numba's machine code calls in its own library, for libraries that stand alone. Arrays that a kernel makes and drops
; again begin as numba's do, since its optimiser may have looked into them: a count of holders, and as the fourth word
; the address of the numbers, which lie 64 bytes further on, or more.

declare noalias ptr @malloc(i64)
declare void @free(ptr)

define ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align) alwaysinline {
  %wide = zext i32 %align to i64
  %head = add i64 %size, 64
  %total = add i64 %head, %wide
  %memory = call ptr @malloc(i64 %total)
  %missing = icmp eq ptr %memory, null
  br i1 %missing, label %none, label %some
none:
  ret ptr null
some:
  store i64 1, ptr %memory
  %from = ptrtoint ptr %memory to i64
  %behind = add i64 %from, 64
  %last = add i64 %wide, -1
  %beyond = add i64 %behind, %last
  %mask = sub i64 0, %wide
  %place = and i64 %beyond, %mask
  %numbers = inttoptr i64 %place to ptr
  %kept = getelementptr i64, ptr %memory, i64 3
  store ptr %numbers, ptr %kept
  ret ptr %memory
}

define ptr @NRT_MemInfo_data_fast(ptr %memory) alwaysinline {
  %kept = getelementptr i64, ptr %memory, i64 3
  %numbers = load ptr, ptr %kept
  ret ptr %numbers
}

define void @NRT_MemInfo_call_dtor(ptr %memory) alwaysinline {
  call void @free(ptr %memory)
  ret void
}

define void @NRT_incref(ptr %memory) alwaysinline {
  %foreign = icmp eq ptr %memory, null
  br i1 %foreign, label %done, label %count
count:
  %held = load i64, ptr %memory
  %more = add i64 %held, 1
  store i64 %more, ptr %memory
  br label %done
done:
  ret void
}

define void @NRT_decref(ptr %memory) alwaysinline {
  %foreign = icmp eq ptr %memory, null
  br i1 %foreign, label %done, label %count
count:
  %held = load i64, ptr %memory
  %fewer = add i64 %held, -1
  store i64 %fewer, ptr %memory
  %last = icmp eq i64 %fewer, 0
  br i1 %last, label %drop, label %done
drop:
  call void @free(ptr %memory)
  br label %done
done:
  ret void
}

; Strides of an array without gaps that is given another shape: numba asks for arrays in rows only.
define i32 @numba_attempt_nocopy_reshape(i64 %nd, ptr %dims, ptr %strides, i64 %newnd, ptr %newdims, ptr %newstrides,
                                         i64 %itemsize, i32 %columns) alwaysinline {
begin:
  br label %axis
axis:
  %left = phi i64 [ %newnd, %begin ], [ %k, %set ]
  %stride = phi i64 [ %itemsize, %begin ], [ %wider, %set ]
  %done = icmp eq i64 %left, 0
  br i1 %done, label %end, label %set
set:
  %k = sub i64 %left, 1
  %at = getelementptr i64, ptr %newstrides, i64 %k
  store i64 %stride, ptr %at
  %from = getelementptr i64, ptr %newdims, i64 %k
  %length = load i64, ptr %from
  %wider = mul i64 %stride, %length
  br label %axis
end:
  ret i32 1
}

declare double @nextafter(double, double)

define double @numba_nextafter(double %number, double %towards) alwaysinline {
  %next = call double @nextafter(double %number, double %towards)
  ret double %next
}

declare double @hypot(double, double)
declare double @atan2(double, double)
declare double @pow(double, double)
declare double @exp(double)
declare double @log(double)
declare double @sin(double)
declare double @cos(double)

; a**b of complex numbers, by magnitude and angle as Python does: a derivative by complex step keeps its digits.
define void @numba_cpow(ptr %a, ptr %b, ptr %out) {
  %a.imag = getelementptr double, ptr %a, i64 1
  %b.imag = getelementptr double, ptr %b, i64 1
  %ar = load double, ptr %a
  %ai = load double, ptr %a.imag
  %br = load double, ptr %b
  %bi = load double, ptr %b.imag
  %out.imag = getelementptr double, ptr %out, i64 1
  %size = call double @hypot(double %ar, double %ai)
  %b.no.real = fcmp oeq double %br, 0.0
  %b.no.imag = fcmp oeq double %bi, 0.0
  %b.none = and i1 %b.no.real, %b.no.imag
  br i1 %b.none, label %one, label %base
one:
  store double 1.0, ptr %out
  store double 0.0, ptr %out.imag
  ret void
base:
  %a.none = fcmp oeq double %size, 0.0
  br i1 %a.none, label %zero, label %power
zero:
  store double 0.0, ptr %out
  store double 0.0, ptr %out.imag
  ret void
power:
  %angle = call double @atan2(double %ai, double %ar)
  %length = call double @pow(double %size, double %br)
  %turned = fmul double %angle, %br
  br i1 %b.no.imag, label %polar, label %spiral
spiral:
  %shrinks = fmul double %angle, %bi
  %less = fneg double %shrinks
  %factor = call double @exp(double %less)
  %shorter = fmul double %length, %factor
  %logarithm = call double @log(double %size)
  %more = fmul double %bi, %logarithm
  %further = fadd double %turned, %more
  br label %polar
polar:
  %r = phi double [ %length, %power ], [ %shorter, %spiral ]
  %phi = phi double [ %turned, %power ], [ %further, %spiral ]
  %cosine = call double @cos(double %phi)
  %sine = call double @sin(double %phi)
  %real = fmul double %r, %cosine
  %imag = fmul double %r, %sine
  store double %real, ptr %out
  store double %imag, ptr %out.imag
  ret void
}

; How an operation of recorded numbers is put down: numbers of the operations that its operands result from (zero for
; constants) with the derivatives by them, 32 bytes in a row. Without an operand that is no constant the next one is
; put over it. What has no room is put into the last place, over and over: who reads the list finds it full.

@fem_mbd_tape = global ptr null ; to: count, last place, address of the list

define linkonce_odr i64 @fem_mbd_record(i64 %a, double %by_a, i64 %b, double %by_b) alwaysinline {
  %tape = load ptr, ptr @fem_mbd_tape
  %count = load i64, ptr %tape
  %last.p = getelementptr i64, ptr %tape, i64 1
  %last = load i64, ptr %last.p
  %list.p = getelementptr i64, ptr %tape, i64 2
  %list = load ptr, ptr %list.p
  %place = getelementptr [4 x i64], ptr %list, i64 %count
  store i64 %a, ptr %place
  %by_a.p = getelementptr i64, ptr %place, i64 1
  store double %by_a, ptr %by_a.p
  %b.p = getelementptr i64, ptr %place, i64 2
  store i64 %b, ptr %b.p
  %by_b.p = getelementptr i64, ptr %place, i64 3
  store double %by_b, ptr %by_b.p
  %both = or i64 %a, %b
  %active = icmp ne i64 %both, 0
  %number = select i1 %active, i64 %count, i64 0
  %one = zext i1 %active to i64
  %more = add i64 %count, %one
  %room = icmp ult i64 %more, %last
  %next = select i1 %room, i64 %more, i64 %last
  store i64 %next, ptr %tape
  ret i64 %number
}

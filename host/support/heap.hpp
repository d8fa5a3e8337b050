// SPDX-License-Identifier: MIT
// What malloc keeps: freed memory stays while calls come, since each page of a large result that
// is given back costs a fault when the next one needs it, and goes back when they stop.
#pragma once

namespace packhost::support {

/// Sets malloc up for a server. Before the second thread starts.
void set_up_heap();

/// Gives free memory back to the system if there is enough to be worth it. Any thread; takes up to
/// a millisecond, in which no other thread can allocate.
void give_back_free_memory();

} // namespace packhost::support

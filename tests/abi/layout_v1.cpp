// SPDX-License-Identifier: MIT
// The golden layout as C++17.
#include "layout_v1.h"

int main() {
  return 0;
}

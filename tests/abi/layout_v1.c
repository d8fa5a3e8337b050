// SPDX-License-Identifier: MIT
// The golden layout as C11.
#include "layout_v1.h"

int main(void) {
  return 0;
}

/* SPDX-License-Identifier: MIT
 * The null server: what pipes, wake-ups and the client cost by themselves. Reads lines, copies the
 * id, answers with bytes that stand ready; checks nothing. "big" has a text of as many KiB as it is
 * asked for.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TOOLS                                                                                      \
  "\"tools\":[{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\"}},"                          \
  "{\"name\":\"big\",\"inputSchema\":{\"type\":\"object\"}}]}}\n"
#define HELLO "\"content\":[{\"type\":\"text\",\"text\":\"hello\"}]}}\n"
#define COMPLETE "\"resultType\":\"complete\","

enum { IN_BYTES = 1 << 18, OUT_BYTES = 1 << 17 };

static char in[IN_BYTES];
static char out[OUT_BYTES];
static size_t out_length;

static void write_all(const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t written = write(STDOUT_FILENO, bytes, length);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) _exit(1);
    bytes += written;
    length -= (size_t)written;
  }
}

static void flush(void) {
  write_all(out, out_length);
  out_length = 0;
}

static void put(const char *bytes, size_t length) {
  if (length > OUT_BYTES - out_length) flush();
  memcpy(out + out_length, bytes, length);
  out_length += length;
}

static void put_text(const char *text) {
  put(text, strlen(text));
}

/* A text of `kib` KiB, made once for a size. */
static void put_big(size_t kib) {
  static char *text;
  static size_t made;
  if (kib != made) {
    free(text);
    text = malloc(kib * 1024);
    if (text == NULL) _exit(1);
    memset(text, 'x', kib * 1024);
    made = kib;
  }
  put_text("\"content\":[{\"type\":\"text\",\"text\":\"");
  flush();
  write_all(text, kib * 1024);
  put_text("\"}]}}\n");
}

static void answer(const char *line, size_t length) {
  static const char key[] = "\"id\":";
  static const char size_key[] = "\"size_kib\":";
  const char *id = memmem(line, length, key, sizeof key - 1);
  if (id == NULL) return; /* a notification */
  id += sizeof key - 1;
  put_text("{\"jsonrpc\":\"2.0\",\"id\":");
  put(id, strspn(id, "0123456789"));
  put_text(",\"result\":{");
  if (memmem(line, length, "2026-07-28", 10) != NULL) put_text(COMPLETE);
  if (memmem(line, length, "\"tools/call\"", 12) != NULL) {
    const char *size = memmem(line, length, size_key, sizeof size_key - 1);
    if (size != NULL) {
      put_big(strtoul(size + sizeof size_key - 1, NULL, 10));
    } else {
      put_text(HELLO);
    }
  } else if (memmem(line, length, "\"tools/list\"", 12) != NULL) {
    put_text(TOOLS);
  } else {
    put_text("\"protocolVersion\":\"2025-06-18\",\"supportedVersions\":[\"2026-07-28\"],"
             "\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"floor\",\"version\":\"1\"}"
             "}}\n");
  }
}

int main(void) {
  size_t length = 0;
  for (;;) {
    ssize_t count = read(STDIN_FILENO, in + length, IN_BYTES - length);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count < 0;
    length += (size_t)count;
    char *line = in;
    char *end = in + length;
    for (char *stop; (stop = memchr(line, '\n', (size_t)(end - line))) != NULL; line = stop + 1) {
      answer(line, (size_t)(stop - line));
    }
    flush();
    length = (size_t)(end - line);
    if (length == IN_BYTES) return 1; /* nothing of the benchmark is as long as this */
    memmove(in, line, length);
  }
}

// SPDX-License-Identifier: MIT
// The Inspector's command line against the built executable, as an author of a pack would use it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check, exe, launch, makeRoot } from './launch.mjs';

const words = launch(makeRoot(), 'echo', 'library');
const home = mkdtempSync(join(tmpdir(), 'packhost-inspector-'));

/** Runs the Inspector with these words and gives back what it printed, parsed. */
function inspect(...method) {
  const done = spawnSync(
    process.execPath,
    ['node_modules/.bin/mcp-inspector', '--cli', '--transport', 'stdio', ...method, '--', exe, ...words],
    { encoding: 'utf8', env: { ...process.env, HOME: home }, timeout: 60000 },
  );
  assert.equal(done.status, 0, `${done.stdout}\n${done.stderr}`);
  return JSON.parse(done.stdout);
}

await check('lists tools', async () => {
  const { tools } = inspect('--method', 'tools/list');
  assert.ok(tools.some((tool) => tool.name === 'file_read'));
  assert.ok(tools.some((tool) => tool.name === 'echo'));
});
await check('finds no schema that clients could not take', async () => {
  inspect('--method', 'tools/list', '--strict');
});
await check('calls a tool', async () => {
  const result = inspect('--method', 'tools/call', '--tool-name', 'file_read', '--tool-arg', 'path=notes/one.md');
  assert.match(result.content[0].text, /needle in a haystack/);
});
await check('reads a resource', async () => {
  const result = inspect('--method', 'resources/read', '--uri', 'library://readme');
  assert.equal(result.contents[0].text, 'Read me first.');
});
await check('gets a prompt', async () => {
  const result = inspect('--method', 'prompts/get', '--prompt-name', 'review', '--prompt-args', 'title=Momo');
  assert.equal(result.messages.length, 2);
});

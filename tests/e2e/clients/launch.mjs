// SPDX-License-Identifier: MIT
// What the client scripts share: launch lines, a folder to serve, and checks that say what they looked at.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const exe = process.env.PACKHOST_EXE;
export const pack = (name) => join(process.env.PACKHOST_TEST_PACKS, `${name}.so`);

/** A folder with two files in it. */
export function makeRoot() {
  const root = mkdtempSync(join(tmpdir(), 'packhost-clients-'));
  mkdirSync(join(root, 'notes'));
  writeFileSync(join(root, 'notes', 'one.md'), '# One\n\nA needle in a haystack.\n');
  writeFileSync(join(root, 'two.txt'), 'Nothing here.\n');
  return root;
}

/** The words of a launch line: the files pack over a root, and test packs. */
export function launch(root, ...packs) {
  const words = ['serve', '--pack', process.env.PACKHOST_FILES_PACK, '--root', root];
  for (const name of packs) words.push('--pack', pack(name));
  return words;
}

/** Runs one named check. */
export async function check(name, body) {
  try {
    await body();
    console.log(`ok    ${name}`);
  } catch (error) {
    console.log(`FAIL  ${name}\n${error.stack}`);
    process.exitCode = 1;
  }
}

/** Calls a tool and gives back the text of its first block. */
export async function text(client, name, args = {}) {
  const result = await client.callTool({ name, arguments: args });
  assert.equal(result.isError ?? false, false, JSON.stringify(result).slice(0, 500));
  return result.content[0].text;
}

/** Waits until a condition holds, at most five seconds. */
export async function until(condition, what) {
  const end = Date.now() + 5000;
  while (!condition()) {
    assert.ok(Date.now() < end, `timed out waiting for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** What both generations of the client do with the packs; their methods are called alike. */
export async function tour(client) {
  await check('lists tools', async () => {
    const { tools } = await client.listTools();
    const names = tools.map((tool) => tool.name);
    for (const name of ['file_read', 'content_search', 'echo', 'library_touch']) assert.ok(names.includes(name), name);
  });
  await check('reads a file', async () => {
    assert.match(await text(client, 'file_read', { path: 'notes/one.md' }), /needle in a haystack/);
  });
  await check('searches', async () => {
    const result = await client.callTool({ name: 'content_search', arguments: { path: '.', query: 'needle' } });
    assert.match(JSON.stringify(result.structuredContent), /notes\/one\.md/);
  });
  await check('is told what is wrong with arguments', async () => {
    const result = await client.callTool({ name: 'structured', arguments: { txt: 'x' } });
    assert.equal(result.isError, true);
    assert.match(result.content[0].text, /txt|text/);
  });
  await check('gets structured content that its validator accepts', async () => {
    const result = await client.callTool({ name: 'structured', arguments: { text: 'abc', times: 2 } });
    assert.deepEqual(result.structuredContent, { echo: 'abcabc', length: 6 });
  });
  await check('gets every kind of content', async () => {
    for (const [name, args, type] of [
      ['parts_blob', { mime: 'image/png' }, 'image'],
      ['parts_blob', { mime: 'audio/wav' }, 'audio'],
      ['parts_resource', {}, 'resource'],
      ['parts_link', {}, 'resource_link'],
    ]) {
      const result = await client.callTool({ name, arguments: args });
      assert.equal(result.content[0].type, type);
    }
  });
  await check('an unknown tool is an error', async () => {
    await assert.rejects(client.callTool({ name: 'nope', arguments: {} }), (error) => error.code === -32602);
  });
  await check('lists and reads resources', async () => {
    const { resources } = await client.listResources();
    assert.ok(resources.some((resource) => resource.uri === 'library://readme'));
    const { resourceTemplates } = await client.listResourceTemplates();
    assert.ok(resourceTemplates.some((template) => template.uriTemplate === 'library://book/{title}'));
    const { contents } = await client.readResource({ uri: 'library://book/Emma' });
    assert.equal(contents[0].text, 'The book Emma');
    await assert.rejects(client.readResource({ uri: 'library://nope' }));
  });
  await check('gets prompts and completions', async () => {
    const { prompts } = await client.listPrompts();
    for (const name of ['review', 'plain']) assert.ok(prompts.some((prompt) => prompt.name === name), name);
    const { messages } = await client.getPrompt({ name: 'review', arguments: { title: 'Momo' } });
    assert.deepEqual(messages.map((message) => message.role), ['user', 'assistant']);
    const { completion } = await client.complete({
      ref: { type: 'ref/resource', uri: 'library://book/{title}' },
      argument: { name: 'title', value: 'Em' },
    });
    assert.deepEqual(completion.values, ['Emma', 'Emil']);
  });
  await check('follows progress', async () => {
    const seen = [];
    await client.callTool(
      { name: 'test_tool_with_progress', arguments: {} },
      ...progressArguments(client, (progress) => seen.push(progress.progress)),
    );
    assert.deepEqual(seen, [0, 50, 100]);
  });
  await check('cancels a call, and goes on', async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    await assert.rejects(
      client.callTool(
        { name: 'slow_sleep', arguments: { ms: 30000 } },
        ...progressArguments(client, undefined, stop.signal),
      ),
    );
    assert.equal(await text(client, 'echo', { text: 'alive' }), 'alive');
  });
  await check('a hundred calls at once', async () => {
    const answers = await Promise.all([...Array(100).keys()].map((n) => text(client, 'echo', { text: `${n}` })));
    assert.deepEqual(answers, [...Array(100).keys()].map(String));
  });
}

/** The first generation takes a result schema before the options, the second does not. */
function progressArguments(client, onprogress, signal) {
  const options = { onprogress, signal };
  return client.getProtocolEra === undefined ? [undefined, options] : [options];
}

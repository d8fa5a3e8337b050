// SPDX-License-Identifier: MIT
// The client of @modelcontextprotocol/client 2.x in automatic mode: it has to reach 2026-07-28, and work there.
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { check, exe, launch, makeRoot, tour, until } from './launch.mjs';

const errors = [];
const client = new Client(
  { name: 'packhost-tests', version: '1.0.0' },
  { capabilities: {}, versionNegotiation: { mode: 'auto' } },
);
client.onerror = (error) => errors.push(error);
const transport = new StdioClientTransport({
  command: exe,
  args: launch(makeRoot(), 'echo', 'library', 'parts', 'slow', 'dynamic', 'everything'),
  stderr: 'inherit',
});
await client.connect(transport);

await check('reaches the modern era', async () => {
  assert.equal(client.getProtocolEra(), 'modern');
  assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
  assert.equal(client.getServerVersion()?.name, 'packhost');
});
await tour(client);
await check('listens to changes', async () => {
  const heard = [];
  client.setNotificationHandler('notifications/tools/list_changed', () => heard.push('tools'));
  client.setNotificationHandler('notifications/resources/updated', (note) => heard.push(note.params.uri));
  const subscription = await client.listen({ toolsListChanged: true, resourceSubscriptions: ['library://watched'] });
  await client.callTool({ name: 'library_touch', arguments: {} });
  await client.callTool({ name: 'dynamic_change', arguments: { to: 'hide' } });
  await until(() => heard.length >= 2, 'both notices');
  assert.deepEqual([...heard].sort(), ['library://watched', 'tools']);
  await subscription.close();
  await client.callTool({ name: 'library_touch', arguments: {} });
  await client.callTool({ name: 'slow_sleep', arguments: { ms: 250 } });
  assert.equal(heard.length, 2);
});
await check('the client saw nothing wrong', async () => assert.deepEqual(errors, []));
await check('closes at once', async () => {
  const start = Date.now();
  await client.close();
  assert.ok(Date.now() - start < 1500, `took ${Date.now() - start} ms`);
});

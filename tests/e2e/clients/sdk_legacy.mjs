// SPDX-License-Identifier: MIT
// The client of @modelcontextprotocol/sdk 1.x against the built executable: the handshake era.
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { check, exe, launch, makeRoot, tour, until } from './launch.mjs';

const errors = [];
const client = new Client({ name: 'packhost-tests', version: '1.0.0' }, { capabilities: {} });
client.onerror = (error) => errors.push(error);
const transport = new StdioClientTransport({
  command: exe,
  args: launch(makeRoot(), 'echo', 'library', 'parts', 'slow', 'dynamic', 'everything'),
  stderr: 'inherit',
});
await client.connect(transport);

await check('the handshake names the server', async () => {
  assert.equal(client.getServerVersion().name, 'packhost');
  assert.ok(client.getServerCapabilities().tools);
  await client.ping();
});
await tour(client);
await check('sets a log level and hears the pack', async () => {
  const heard = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, (note) => heard.push(note.params));
  await client.setLoggingLevel('warning');
  await client.callTool({ name: 'parts_log', arguments: {} });
  await until(() => heard.length > 0, 'a log message');
  assert.equal(heard[0].data.event, 'step');
});
await check('subscribes to a resource', async () => {
  const heard = [];
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, (note) => heard.push(note.params.uri));
  await client.subscribeResource({ uri: 'library://watched' });
  await client.callTool({ name: 'library_touch', arguments: {} });
  await until(() => heard.length > 0, 'an update');
  await client.unsubscribeResource({ uri: 'library://watched' });
  assert.deepEqual(heard, ['library://watched']);
});
await check('hears of a list change', async () => {
  let heard = 0;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => (heard += 1));
  await client.callTool({ name: 'dynamic_change', arguments: { to: 'hide' } });
  await until(() => heard > 0, 'a list change');
  assert.ok(!(await client.listTools()).tools.some((tool) => tool.name === 'dynamic_shy'));
});
await check('the client saw nothing wrong', async () => assert.deepEqual(errors, []));
await check('closes at once', async () => {
  const start = Date.now();
  await client.close();
  assert.ok(Date.now() - start < 1500, `took ${Date.now() - start} ms`);
});

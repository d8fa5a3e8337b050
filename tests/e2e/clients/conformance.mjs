// SPDX-License-Identifier: MIT
// The official conformance suite's server scenarios against the built executable, through the bridge.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBridge } from './bridge.mjs';
import { check, exe, pack } from './launch.mjs';

// Scenarios that are about something packhost is not, each with the reason. All others have to pass.
const notApplicable = {
  'tools-call-sampling': 'the server asks the client to sample; packhost asks clients for nothing',
  'tools-call-elicitation': 'the server asks the user; packhost asks clients for nothing',
  'elicitation-sep1034-defaults': 'the server asks the user; packhost asks clients for nothing',
  'elicitation-sep1330-enums': 'the server asks the user; packhost asks clients for nothing',
  'json-schema-2020-12': 'wants $schema and $defs in a tool schema; packs may use neither',
  'server-sse-polling': 'is about reconnecting HTTP streams; the transport here is the test bridge',
  'server-sse-multiple-streams': 'is about parallel HTTP streams; the transport here is the test bridge',
  'dns-rebinding-protection': 'is about HTTP host headers; the transport here is the test bridge',
};

/** Runs the suite's program and gives back what it printed and its exit status. */
function suite(...words) {
  const folder = mkdtempSync(join(tmpdir(), 'packhost-conformance-'));
  const entry = join(process.cwd(), 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [entry, ...words], { cwd: folder, timeout: 60000 });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.on('close', (status) => resolve({ status, output }));
  });
}

const listed = await suite('list', '--server');
const scenarios = [...listed.output.matchAll(/^\s+- ([a-z0-9-]+)/gm)].map((found) => found[1]);
await check('the suite lists its scenarios', async () => assert.ok(scenarios.length >= 30, listed.output));
await check('every scenario left out is one of the suite', async () => {
  for (const name of Object.keys(notApplicable)) assert.ok(scenarios.includes(name), name);
});
for (const [name, reason] of Object.entries(notApplicable)) console.log(`n/a   ${name}: ${reason}`);

const bridge = await startBridge(exe, ['serve', '--pack', pack('everything')]);
for (const name of scenarios.filter((scenario) => !(scenario in notApplicable))) {
  await check(`conformance ${name}`, async () => {
    const { status, output } = await suite('server', '--url', bridge.url, '--scenario', name);
    assert.equal(status, 0, output);
    assert.match(output, /Passed: ([1-9]\d*)\/\1, 0 failed, 0 warnings/, output);
  });
}
bridge.stop();

// SPDX-License-Identifier: MIT
// A bridge from MCP's HTTP transport to a packhost on stdio, for the conformance suite, which speaks HTTP alone.
// For tests only. One process per HTTP session; a POST is answered by an event stream that carries the
// notifications that come meanwhile and ends with the answer; a GET carries those that belong to no request.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

class Session {
  constructor(command, args) {
    this.id = randomUUID();
    this.waiting = new Map(); // JSON of a request's id -> its HTTP response
    this.listener = null;
    this.process = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: this.process.stdout }).on('line', (line) => this.hear(line));
    this.process.on('exit', () => {
      for (const response of this.waiting.values()) response.end();
      this.listener?.end();
    });
  }

  /** A line of the server: to the request it answers, else to whoever is there to hear it. */
  hear(line) {
    const message = JSON.parse(line);
    const event = `event: message\ndata: ${line}\n\n`;
    if (message.method === undefined && message.id !== undefined) {
      const key = JSON.stringify(message.id);
      this.waiting.get(key)?.end(event);
      this.waiting.delete(key);
      return;
    }
    const target = this.waiting.values().next().value ?? this.listener;
    target?.write(event);
  }

  tell(line, response) {
    const message = JSON.parse(line);
    const isRequest = message.method !== undefined && message.id !== undefined;
    if (isRequest) {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'mcp-session-id': this.id });
      response.flushHeaders();
      this.waiting.set(JSON.stringify(message.id), response);
    } else {
      response.writeHead(202, { 'mcp-session-id': this.id }).end();
    }
    this.process.stdin.write(`${JSON.stringify(message)}\n`);
  }

  listen(response) {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'mcp-session-id': this.id });
    response.flushHeaders();
    this.listener = response;
    response.on('close', () => (this.listener = null));
  }
}

/** Serves a launch line over HTTP. Gives back the address and how to end it. */
export async function startBridge(command, args) {
  const sessions = new Map();
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString('utf8');
    let session = sessions.get(request.headers['mcp-session-id']);
    if (request.method === 'POST') {
      if (session === undefined && JSON.parse(body).method === 'initialize') {
        session = new Session(command, args);
        sessions.set(session.id, session);
      }
      if (session === undefined) response.writeHead(404).end();
      else session.tell(body, response);
    } else if (request.method === 'GET' && session !== undefined) {
      session.listen(response);
    } else if (request.method === 'DELETE' && session !== undefined) {
      session.process.stdin.end();
      sessions.delete(session.id);
      response.writeHead(200).end();
    } else {
      response.writeHead(405).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    stop() {
      for (const session of sessions.values()) session.process.stdin.end();
      server.closeAllConnections();
      server.close();
    },
  };
}

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/*
 * A receiver in a process of its own. It accepts everything except requests to /hang, which get no response, and
 * returns at /latencies the delay after each event, once.
 */

let latencies: number[] = [];

const server = createServer((request, response) => {
  if (request.url === '/latencies') {
    response.end(JSON.stringify(latencies));
    latencies = [];
    return;
  }
  void text(request).then((body) => {
    if (request.url === '/hang') return;
    latencies.push(Date.now() - Date.parse(JSON.parse(body).timestamp));
    response.writeHead(204).end();
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));

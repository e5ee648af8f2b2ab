import { readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import pg from 'pg';

import type { CheckoutFloor } from './record-checkout.ts';

/*
 * The floor of a checkout, in a process of its own: for each request the same statements in the same order, with the
 * same values, and the same calls to the provider; nothing else. Its transactions are rolled back, and one row is
 * committed instead. Returns how long all of it took and how long the provider did, in milliseconds.
 */

const { databaseUrl, statements, calls, providerUrl, secretKey } = JSON.parse(readFileSync(0, 'utf8')) as CheckoutFloor;
const pool = new pg.Pool({ connectionString: databaseUrl, max: 5 });
const agent = new http.Agent({ keepAlive: true });
let number = 0;

const server = http.createServer((request, response) => {
  void text(request)
    .then(checkOut)
    .then((times) => response.end(JSON.stringify(times)));
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));

async function checkOut(): Promise<{ ms: number; providerMs: number }> {
  const startedAt = performance.now();
  const client = await pool.connect();
  for (const statement of statements) await client.query(statement.text, [...statement.values]);
  await client.query('insert into bare_checkouts default values');
  client.release();
  const requestedAt = performance.now();
  for (const call of calls) await send(call);
  const endedAt = performance.now();
  return { ms: endedAt - startedAt, providerMs: endedAt - requestedAt };
}

function send({ path, body }: CheckoutFloor['calls'][number]): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${secretKey}`,
      'content-type': 'application/x-www-form-urlencoded',
      'idempotency-key': `bare-${(number += 1)}`,
    };
    const request = http.request(`${providerUrl}${path}`, { method: 'POST', agent, headers }, (reply) =>
      text(reply).then(resolve, reject),
    );
    request.on('error', reject);
    request.end(body);
  });
}

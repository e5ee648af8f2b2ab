import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

import pg from 'pg';

import { isFrame } from '#test/support/count-statements.ts';

/*
 * Loaded into a process before all else (`countStatementsSent`): writes down how many statements it has sent to
 * PostgreSQL. What frames a transaction is not counted.
 */

const file = openSync(join(process.env['COUNT_STATEMENTS_IN'] ?? '', String(process.pid)), 'w');
const { query } = pg.Client.prototype;
let sent = 0;

pg.Client.prototype.query = function countedQuery(this: pg.Client, ...given: unknown[]) {
  const [first] = given;
  if (!isFrame(typeof first === 'string' ? first : (first as { text: string }).text)) sent += 1;
  return Reflect.apply(query, this, given);
};
// With a constant width, so that a concurrent read finds a number.
setInterval(() => writeSync(file, String(sent).padStart(12), 0), 50).unref();

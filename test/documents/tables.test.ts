import { existsSync, readFileSync } from 'node:fs';

import test from 'ava';

import { queues } from '#jobs/queues.ts';
import { schedules } from '#jobs/schedules.ts';
import { mailFaultKinds } from '#src/dev/simulators/mailbox/faults.ts';
import { faultKinds } from '#src/dev/simulators/shippo/faults.ts';
import { nextStep } from '#src/domain/backoffice/attention.ts';
import { mailKinds } from '#src/domain/mail/kinds.ts';
import { fulfillmentStatuses, orderStatuses, paymentStatuses } from '#src/domain/orders/order.ts';
import { reminderReasons } from '#src/domain/reminders/reminder.ts';
import { reasons } from '#src/domain/shipping/label-reasons.ts';
import { roles } from '#src/domain/staff/roles.ts';
import { adminAreas, publishableScopes, type Scope, scopes } from '#src/domain/tenants/api-key.ts';
import { Environment } from '#src/environment.ts';
import { hours, minutes } from '#src/lib/duration.ts';
import { eventTypes } from '#src/outbox/events.ts';
import { sources } from '#test/architecture/sources.ts';
import { codeBlock, markdownFile, markdownFiles, tableAfter } from '#test/support/documents.ts';

const readText = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const procfile = readText('Procfile');
const code = (text: string) => `\`${text}\``;

test('the table of environment variables matches the code', (t) => {
  const expected = Object.entries(Environment.properties).map(([name, schema]) => {
    const { description = '', default: fallback } = schema as { description?: string; default?: unknown };
    const isOptional = !Environment.required.some((required) => required === name);
    const hasDefault = fallback !== undefined && fallback !== '';
    return [
      code(name),
      hasDefault ? code(String(fallback)) : isOptional || fallback === '' ? '' : 'required',
      description,
    ];
  });
  t.deepEqual(tableAfter(markdownFile('src/cli/DEPLOYMENT.md'), '## Environment variables'), expected);
});

test('the tables of queues and scheduled jobs match the code', (t) => {
  const file = markdownFile('jobs/README.md');
  t.deepEqual(
    tableAfter(file, '## Queues'),
    Object.entries(queues).map(([name, { concurrency, about }]) => [code(name), String(concurrency), about]),
  );
  const interval = (everyMs: number | 'sweep') => (everyMs === 'sweep' ? '`SWEEP_INTERVAL`' : describe(everyMs));
  t.deepEqual(
    tableAfter(file, '## Scheduled jobs'),
    schedules.map(({ name, everyMs }) => [code(name), interval(everyMs)]),
  );
});

test('the table of scopes matches the code', (t) => {
  const byResource = Map.groupBy(scopes, (scope) => scope.split(':')[0] ?? '');
  const verbs = (all: readonly Scope[]) =>
    all
      .filter((scope) => publishableScopes.includes(scope))
      .map((scope) => scope.split(':')[1])
      .join(', ');
  t.deepEqual(
    tableAfter(markdownFile('src/api/README.md'), '## Who may call').length,
    7,
    'the first table lists the audiences',
  );
  t.deepEqual(
    tableAfter(markdownFile('src/api/README.md'), '| resource |'),
    [...byResource].map(([resource, all]) => [code(resource), all.map(code).join(', '), verbs(all)]),
  );
});

test('the table of roles matches the code', (t) => {
  const listed = (held: readonly Scope[], verb: string) =>
    adminAreas.filter((area) => held.includes(`admin.${area}:${verb}` as Scope)).map(code);
  t.deepEqual(
    tableAfter(markdownFile('src/domain/staff/README.md'), '## Roles'),
    Object.entries(roles).map(([role, held]) => {
      if (role === 'owner') return [code(role), 'everything', 'everything'];
      const writes = listed(held, 'write');
      return [
        code(role),
        listed(held, 'read')
          .filter((area) => !writes.includes(area))
          .join(', '),
        writes.join(', '),
      ];
    }),
  );
});

test('the table of webhook events matches the code', (t) => {
  t.deepEqual(
    tableAfter(markdownFile('src/domain/webhooks/README.md'), '| event |'),
    Object.entries(eventTypes).map(([type, object]) => [code(type), object]),
  );
});

test('the table of label reasons matches the code', (t) => {
  t.deepEqual(
    tableAfter(markdownFile('src/domain/shipping/README.md'), '| reason |'),
    Object.entries(reasons).map(([name, { message }]) => [code(name), message]),
  );
});

test('the table of attention codes matches the texts for operators', (t) => {
  const [, advice = ''] = /const advice[^{]*\{(.*?)\n\};/s.exec(readText('src/domain/backoffice/attention.ts')) ?? [];
  const codes = [...advice.matchAll(/^ {2}(\w+):/gm)].map(([, name = '']) => name);
  t.true(codes.length > 5);
  t.deepEqual(
    tableAfter(markdownFile('src/domain/orders/README.md'), '| code |'),
    codes.map((name) => [code(name), nextStep(name)]),
  );
});

test('the states of an order are named', (t) => {
  const { text } = markdownFile('src/domain/orders/README.md');
  const states = [...orderStatuses, ...paymentStatuses, ...fulfillmentStatuses];
  t.deepEqual(
    states.filter((state) => !text.includes(code(state))),
    [],
  );
});

test('the table of emails matches the code', (t) => {
  t.deepEqual(
    tableAfter(markdownFile('src/domain/mail/README.md'), '| kind |'),
    Object.entries(mailKinds).map(([kind, { delivery, staleAfterMs }]) => [
      code(kind),
      delivery.replaceAll('_', ' '),
      staleAfterMs === undefined ? '' : describe(staleAfterMs),
    ]),
  );
});

test('the table of reminder reasons names every reason', (t) => {
  const documented = tableAfter(markdownFile('src/domain/reminders/README.md'), '| reason |').map(([name]) => name);
  t.deepEqual(documented.toSorted(), reminderReasons.map(code).toSorted());
});

test('the table of faults names those that the simulators know', (t) => {
  const [, ofStripe = ''] =
    /kind: \{ enum: \[([^\]]*)\]/.exec(readText('src/dev/simulators/stripe/control/read-body.ts')) ?? [];
  const kinds = [ofStripe.match(/\w+/g) ?? [], faultKinds, mailFaultKinds];
  t.deepEqual(
    tableAfter(markdownFile('src/dev/README.md'), '| simulator |').map(([, named]) => named),
    kinds.map((some) => some.map(code).join(', ')),
  );
});

test('the order of the domains matches the one of the architecture test', (t) => {
  const [, held = ''] = /const domainOrder = \[([^\]]*)\]/.exec(readText('test/architecture/boundaries.test.ts')) ?? [];
  const documented = codeBlock('src/domain/README.md', 'text', 'tenants');
  t.deepEqual(
    documented.match(/[a-z]+/g),
    [...held.matchAll(/'([a-z]+)'/g)].map(([, domain]) => domain),
  );
});

test('the table of metrics names every metric, and documents name no other', (t) => {
  const named = (text: string) => text.match(/\bstorefront_(?!url)[a-z]+(?:_[a-z]+)*\b/g) ?? [];
  const written = new Set(
    sources
      .filter(({ path }) => /^src\/(api\/ops\/metrics|platform\/metrics)\.ts$/.test(path))
      .flatMap(({ text }) => named(text)),
  );
  const documented = tableAfter(markdownFile('src/api/ops/README.md'), '## Metrics').flatMap((row) =>
    named(row[0] ?? ''),
  );
  t.deepEqual(documented.toSorted(), [...written].toSorted());
  t.deepEqual(
    markdownFiles.flatMap(({ path, text }) =>
      named(text)
        // Prometheus adds this to the name of a histogram.
        .filter((name) => !written.has(name.replace(/_count$/, '')))
        .map((name) => `${path}: ${name}`),
    ),
    [],
  );
});

test('an alert takes a rate or an increase of a counter only', (t) => {
  const ranges = tableAfter(markdownFile('src/api/ops/README.md'), '### Alerts').flatMap(([expression = '']) => [
    ...expression.matchAll(/\b(?:rate|increase)\((\w+)/g),
  ]);
  t.true(ranges.length > 0);
  // Of a gauge, each decrease would count as a reset, after which all of it is new.
  for (const [range, metric] of ranges) t.regex(metric ?? '', /_(total|count)$/, range);
});

test('the numbers of connections are those of the processes in the Procfile', (t) => {
  const { text } = markdownFile('workers/README.md');
  const types = [...procfile.matchAll(/^worker-/gm)].length;
  const { default: poolMax } = Environment.properties.DATABASE_POOL_MAX as { default?: number };
  const perProcess = Number(poolMax) + 1;
  const together = (types + 2) * perProcess + 3;
  t.regex(text, new RegExp(`all the worker types and two of \\\`web\\\` need ${together}\\.`));
  t.regex(text, new RegExp(`\\\`worker\\\` ${2 + 2 * Object.keys(queues).length} `));
});

test('the table of processes matches the Procfile', (t) => {
  t.deepEqual(
    tableAfter(markdownFile('workers/README.md'), '| process |').map(([name, entry]) => [name, entry]),
    [...procfile.matchAll(/^([a-z-]+): .* (\S+\.ts)/gm)].map(([, name = '', entry = '']) => [code(name), code(entry)]),
  );
});

test('every entry of the Procfile exists, and every process that documents scale is in it', (t) => {
  const entries = [...procfile.matchAll(/ (\S+\.ts)/g)].map(([, entry]) => entry ?? '');
  t.is(entries.length, procfile.trim().split('\n').length);
  t.deepEqual(
    entries.filter((entry) => !existsSync(new URL(`../../${entry}`, import.meta.url))),
    [],
  );
  const scaled = markdownFiles.flatMap(({ text }) =>
    [...text.matchAll(/\b((?:web|worker)(?:-[a-z]+)?)=\d/g)].map(([, name]) => name),
  );
  t.deepEqual(
    [...new Set(scaled)].filter((name) => !procfile.includes(`${name}: `)),
    [],
  );
});

/** A duration in the largest unit that divides it. */
function describe(ms: number): string {
  if (ms % hours(24) === 0) return `${ms / hours(24)} day${ms > hours(24) ? 's' : ''}`;
  return ms % hours(1) === 0 ? `${ms / hours(1)} h` : `${ms / minutes(1)} min`;
}

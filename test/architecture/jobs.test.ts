import test from 'ava';

import { jobs } from '#jobs/index.ts';
import { queues } from '#jobs/queues.ts';
import { tickers } from '#jobs/schedules.ts';
import { processors } from '#workers/processors.ts';
import { sources } from './sources.ts';

test('every job has exactly one processor, and every processor a job', (t) => {
  t.deepEqual(processors.map(({ job }) => job.name).toSorted(), jobs.map(({ name }) => name).toSorted());
});

test('job names are unique and say their domain', (t) => {
  t.is(new Set(jobs.map(({ name }) => name)).size, jobs.length);
  for (const { name } of jobs) t.regex(name, /^[a-z]+(-[a-z]+)*\.[a-z]+(-[a-z]+)+$/);
});

test('a job waits within its queue for half a minute at most, and its runs end', (t) => {
  for (const { name, queue, retry, timeoutSeconds } of jobs) {
    t.true(queue in queues, name);
    t.true(retry.maxDelaySeconds <= 30, name);
    t.true(retry.attempts >= 1 && retry.attempts <= 50, name);
    t.true(timeoutSeconds > 0 && timeoutSeconds <= 300, name);
  }
});

test('payloads hold ids and periods, nothing else', (t) => {
  for (const { name, payload } of jobs) {
    for (const field of Object.keys(payload.properties))
      t.regex(field, /(Ids?|period|attempt|version|number|kind)$/i, `${name}: ${field}`);
  }
});

test('every ticker wakes a known job', (t) => {
  t.deepEqual(
    tickers.filter(({ job }) => !jobs.includes(job)),
    [],
  );
});

test('every file of jobs is in the index', (t) => {
  const pages = sources
    .filter(({ path }) => /^jobs\/(?!index|queues|schedules)[a-z-]+\.ts$/.test(path))
    .map(({ path }) => path);
  const index = sources.find(({ path }) => path === 'jobs/index.ts');
  t.deepEqual(
    pages.filter((page) => !index?.imports.some(({ path }) => path === page)),
    [],
  );
});

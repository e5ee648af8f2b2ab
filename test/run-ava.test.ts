import test from 'ava';

import { SilenceLimit } from '#test/run-ava.ts';

function limitOf(heartbeatsMax: number) {
  const signals: string[] = [];
  const silence = new SilenceLimit(heartbeatsMax, (signal) => signals.push(signal));
  const beat = (times: number) => {
    for (let time = 0; time < times; time += 1) silence.onHeartbeat();
  };
  return { signals, silence, beat };
}

test('a run without results gets SIGINT, to list its pending tests, and then SIGKILL', (t) => {
  const { signals, beat } = limitOf(3);
  beat(2);
  t.deepEqual(signals, []);
  beat(1);
  t.deepEqual(signals, ['SIGINT']);
  beat(1);
  t.deepEqual(signals, ['SIGINT', 'SIGKILL']);
});

test('a result gives a run its whole time again', (t) => {
  const { signals, silence, beat } = limitOf(3);
  beat(2);
  silence.onResult();
  beat(2);
  t.deepEqual(signals, []);
});

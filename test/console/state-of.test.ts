import test from 'ava';

import { stateOf } from '#src/console/src/pages/content/state-of.ts';
import { stateOf as stateOfPromo } from '#src/console/src/pages/promotions/state-of.ts';

const [before, now, later] = ['2026-12-01T09:00:00Z', '2026-12-02T09:00:00Z', '2026-12-03T09:00:00Z'];

const at = (times: Partial<Parameters<typeof stateOf>[0]>) =>
  stateOf({ type: 'announcement', published_at: before, starts_at: null, ends_at: null, ...times }, Date.parse(now));

test('an entry is published once readers see it, and scheduled before', (t) => {
  t.is(at({ published_at: null }), 'draft');
  t.is(at({ published_at: null, ends_at: before }), 'draft');
  t.is(at({ published_at: later }), 'scheduled');
  t.is(at({ published_at: now }), 'published');
  t.is(at({}), 'published');
});

test('an announcement is shown from its start until its end, and other entries without regard to them', (t) => {
  t.is(at({ starts_at: later }), 'scheduled');
  t.is(at({ starts_at: now, ends_at: later }), 'published');
  t.is(at({ starts_at: before, ends_at: now }), 'ended');
  t.is(at({ type: 'article', starts_at: later, ends_at: before }), 'published');
});

test('a promo code is active from its start until its end or its last use', (t) => {
  const promoAt = (terms: Partial<Parameters<typeof stateOfPromo>[0]>) =>
    stateOfPromo({ starts_at: null, ends_at: null, usage_limit: null, used: 3, ...terms }, Date.parse(now));
  t.is(promoAt({}), 'active');
  t.is(promoAt({ starts_at: now, ends_at: later, usage_limit: 4 }), 'active');
  t.is(promoAt({ starts_at: later }), 'scheduled');
  t.is(promoAt({ starts_at: before, ends_at: now }), 'ended');
  t.is(promoAt({ usage_limit: 3 }), 'used_up');
  t.is(promoAt({ ends_at: before, usage_limit: 3 }), 'ended');
});

import anyTest, { type TestFn } from 'ava';

import { transact } from '#src/database/transact.ts';
import {
  attributeOrder,
  findPartner,
  partnerCodes,
  removePartner,
  savePartner,
  trackReferral,
} from '#src/domain/partners/index.ts';
import { DomainError } from '#src/lib/errors.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { attributionOf, buildPartner } from '#test/support/factories/partners.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

test('a removed partner gets no further attributions, by code or by visit, and keeps earlier ones', async (t) => {
  const { ctx } = t.context;
  const partner = await buildPartner(ctx);
  await trackReferral(ctx, { code: partner.code, sessionId: 'ses-1' });
  const credit = (orderId: string, partnerCode?: string) =>
    transact(ctx, (ctx) => attributeOrder(ctx, { orderId, sessionId: 'ses-1', partnerCode, totalCents: 1000 }));
  await credit('ord_before');

  const removed = await transact(ctx, (ctx) => removePartner(ctx, ` ${partner.code.toUpperCase()} `));
  t.deepEqual(removed, { subject: `partner ${partner.code}`, action: 'removed', fields: [] });
  t.deepEqual(await partnerCodes(ctx), []);
  t.is(await findPartner(ctx, partner.code), undefined);
  await t.throwsAsync(trackReferral(ctx, { code: partner.code }), { instanceOf: DomainError, code: 'not_found' });
  await credit('ord_by_visit');
  await credit('ord_by_code', partner.code);
  t.deepEqual(
    [await attributionOf(ctx, 'ord_by_visit'), await attributionOf(ctx, 'ord_by_code')],
    [undefined, undefined],
  );
  t.is((await attributionOf(ctx, 'ord_before'))?.partnerId, partner.id);
});

test('removing a partner twice, or one who never was, changes nothing; saving brings back the same one', async (t) => {
  const { ctx } = t.context;
  const partner = await buildPartner(ctx);
  const remove = (code: string) => transact(ctx, (ctx) => removePartner(ctx, code));
  t.is((await remove(partner.code)).action, 'removed');
  t.is((await remove(partner.code)).action, 'unchanged');
  t.is((await remove('nobody')).action, 'unchanged');

  await transact(ctx, (ctx) => savePartner(ctx, { code: partner.code, name: 'The Maker Blog', commission_percent: 8 }));
  t.is((await findPartner(ctx, partner.code))?.id, partner.id);
});

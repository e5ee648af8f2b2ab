import type { Context } from '#src/domain/context.ts';
import {
  checkSecondShippingAccount,
  checkShippingAccount,
  readSecondShippingAccount,
  readShippingAccount,
} from '#src/domain/shipping/index.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

/** The store's accounts at parcel providers. Labels that were paused for a wrong key are bought when it is right. */
export async function checkShipping(ctx: Context): Promise<Finding[]> {
  const findings = [await checkFirst(ctx)];
  if (await readSecondShippingAccount(ctx)) findings.push(await checkSecond(ctx));
  return findings;
}

async function checkFirst(ctx: Context): Promise<Finding> {
  const account = await readShippingAccount(ctx);
  if (!account) {
    const advice = 'Set one in the shipping section of the store file.';
    return warning('shippo', 'The store has no shipping account, so it purchases no labels.', advice);
  }
  const { ok: opens, detail } = await checkShippingAccount(ctx);
  if (opens) return ok('shippo', detail);
  return fault('shippo', detail, 'Check the key in the shipping section, and that this machine can reach Shippo.');
}

/** Nothing is bought there yet, so nothing waits for it. */
async function checkSecond(ctx: Context): Promise<Finding> {
  const { ok: opens, detail } = await checkSecondShippingAccount(ctx);
  if (opens) return ok('easypost', detail);
  return warning('easypost', detail, 'Check the key in the second_shipping section. No label waits for it.');
}

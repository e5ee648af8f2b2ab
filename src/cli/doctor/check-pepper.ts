import type { PlatformContext } from '#src/domain/context.ts';
import { countKeys } from '#src/domain/tenants/index.ts';
import { type Finding, fault, ok } from './finding.ts';

const about = 'key pepper';

/** Whether the API keys were hashed with the pepper of this environment: with another one, none is found. */
export async function checkPepper(ctx: PlatformContext): Promise<Finding[]> {
  const { keys, keysOfOtherPepper } = await countKeys(ctx);
  if (keysOfOtherPepper === 0) return [ok(about, 'All API keys are hashed with it.')];
  return [
    fault(
      about,
      `${keysOfOtherPepper} of ${keys} API keys are hashed with another KEY_PEPPER, so requests with them are rejected.`,
      'Set KEY_PEPPER to the value that it had. If that is lost, revoke these keys and create new ones.',
    ),
  ];
}

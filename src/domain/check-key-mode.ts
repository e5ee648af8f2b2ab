import { invalidRequest } from '#src/lib/errors.ts';
import type { Context } from './context.ts';

/** The kinds of credentials that their first characters identify. */
type KeyKind = 'stripe_secret' | 'stripe_publishable' | 'stripe_webhook' | 'stripe_id' | 'shippo' | 'easypost';

const kinds: readonly { readonly kind: KeyKind; readonly pattern: RegExp; readonly title: string }[] = [
  { kind: 'stripe_secret', pattern: /^[sr]k_/, title: 'a secret key of Stripe' },
  { kind: 'stripe_publishable', pattern: /^pk_/, title: 'a publishable key of Stripe' },
  { kind: 'stripe_webhook', pattern: /^whsec_/, title: 'a signing secret of Stripe' },
  { kind: 'stripe_id', pattern: /^(acct|we|cus|ca)_/, title: 'an id of Stripe, and no key' },
  { kind: 'shippo', pattern: /^shippo_/, title: 'a token of Shippo' },
  { kind: 'easypost', pattern: /^EZ[AT]K/, title: 'a key of EasyPost' },
];

/** The environment of a key; `undefined` for keys that do not name it, such as OAuth tokens and signing secrets. */
function environmentOf(key: string): 'test' | 'live' | undefined {
  const [, environment] = /^[a-z]+_(test|live)_/.exec(key) ?? [];
  if (environment === 'test' || environment === 'live') return environment;
  return key.startsWith('EZTK') ? 'test' : key.startsWith('EZAK') ? 'live' : undefined;
}

/** Why a provider's key does not fit this environment; `undefined` where it fits or does not name its environment. */
export function wrongModeOf(ctx: Context, key: string): string | undefined {
  const environment = environmentOf(key);
  const { appMode } = ctx.settings;
  return environment === undefined || environment === appMode
    ? undefined
    : `This is a ${environment} key, and here is the ${appMode} environment.`;
}

/**
 * Reject a provider's credential that cannot work here. A live key in the test environment would charge real cards and
 * buy real labels for test orders; a test key in the live environment moves no money; a key of another kind is of no
 * use. A credential whose kind or environment cannot be recognized is accepted.
 *
 * @param expected the kind of credential that this field needs; omitted for one that the owner chooses freely
 * @throws DomainError `invalid_request` that names the field
 */
export function validateKey(ctx: Context, field: string, key: string | null | undefined, expected?: KeyKind): void {
  const fault = key ? faultOf(ctx, key, expected) : undefined;
  if (fault) throw invalidRequest(fault.message, { path: `/${field}`, code: fault.code, detail: fault.detail });
}

interface KeyFault {
  readonly code: string;
  readonly message: string;
  /** Follows the field's name. */
  readonly detail: string;
}

function faultOf(ctx: Context, key: string, expected: KeyKind | undefined): KeyFault | undefined {
  if (key !== key.trim()) {
    return {
      code: 'whitespace',
      message: 'There is white space around this key.',
      detail: 'must not have white space around it',
    };
  }
  if (!expected) return undefined;
  const known = kinds.find(({ pattern }) => pattern.test(key));
  if (known && known.kind !== expected) {
    return { code: 'wrong_kind', message: `This is ${known.title}.`, detail: `is ${known.title}` };
  }
  const message = wrongModeOf(ctx, key);
  const detail = `is a ${environmentOf(key)} key, and here is the ${ctx.settings.appMode} environment`;
  return message === undefined ? undefined : { code: 'wrong_environment', message, detail };
}

import type { Account } from '../state/account.ts';
import { listObject } from '../state/objects.ts';
import { pageOf } from '../state/table.ts';
import { invalid } from './error.ts';

const depthMax = 4;

/** Replace ids in a response by their objects, and add the fields that are included only on request. */
export function expand(account: Account, response: object, paths: readonly string[] = []): object {
  return paths.reduce((expanded, path, index) => {
    const fields = path.split('.');
    const depth = fields.filter((field) => field !== 'data').length;
    if (depth > depthMax) {
      throw invalid(
        `You cannot expand more than ${depthMax} levels of a property. Property: ${path}`,
        `expand[${index}]`,
      );
    }
    return expandPath(account, expanded, fields, path);
  }, response);
}

function expandPath<Value>(account: Account, value: Value, fields: readonly string[], path: string): Value;
function expandPath(account: Account, value: unknown, fields: readonly string[], path: string): unknown {
  const [field, ...rest] = fields;
  if (field === undefined || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => expandPath(account, item, fields, path));
  if (!isRecord(value)) throw cannotExpand(path);
  const inner = value[field] ?? include(account, value, field);
  if (inner === undefined) throw cannotExpand(path);
  return { ...value, [field]: expandPath(account, resolveIds(account, inner, path), rest, path) };
}

function resolveIds(account: Account, value: unknown, path: string): unknown {
  if (typeof value === 'string') return account.find(value) ?? fail(path);
  if (Array.isArray(value)) return value.map((item) => resolveIds(account, item, path));
  if (typeof value === 'number' || typeof value === 'boolean') return fail(path);
  return value;
}

/** The fields that Stripe includes only when they are expanded. */
function include(account: Account, row: Record<string, unknown>, field: string): unknown {
  const id = String(row['id']);
  switch (`${row['object']}.${field}`) {
    case 'checkout.session.line_items':
      return listObject(`/v1/checkout/sessions/${id}/line_items`, pageOf(account.carts.get(id)?.lines ?? [], {}));
    case 'invoice.payments':
      return listObject(
        '/v1/invoice_payments',
        account.invoicePayments.page({}, ({ invoice }) => invoice === id),
      );
    default:
      return row[field];
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function fail(path: string): never {
  throw cannotExpand(path);
}

function cannotExpand(path: string): Error {
  return invalid(`This property cannot be expanded (${path}).`, 'expand');
}

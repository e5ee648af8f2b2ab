import { useNotify } from 'react-admin';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';

const names = { payments: 'Stripe', shipping: 'Shippo', 'second-shipping': 'EasyPost' } as const;

/** Whether the stored credentials open the account. */
export function CheckProvider({ kind }: { readonly kind: keyof typeof names }) {
  const notify = useNotify();
  return (
    <Action<object, { ok: boolean; detail: string }>
      label={`Check ${names[kind]}`}
      title="Check the account"
      scope="admin:write"
      text="This calls the provider with the stored key."
      run={() => admin.checkProvider(kind)}
      onDone={({ ok, detail }) => notify(detail, { type: ok ? 'success' : 'error' })}
      done="Account checked."
    />
  );
}

import { useNotify } from 'react-admin';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { messageOf } from '../../lib/errors.ts';

const names = { payments: 'Stripe', shipping: 'Shippo', 'second-shipping': 'EasyPost' } as const;

/** Returns what checks keys that were just saved, and says so where they do not open the account. */
export function useKeyCheck(kind: keyof typeof names): () => Promise<void> {
  const notify = useNotify();
  return async () => {
    const { ok, detail } = await admin
      .checkProvider(kind)
      .catch((error: unknown) => ({ ok: false, detail: messageOf(error) }));
    if (!ok) notify(`The keys are saved, but their check failed. ${detail}`, { type: 'error' });
  };
}

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

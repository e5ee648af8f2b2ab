import { useNotify, useRefresh } from 'react-admin';

import { admin } from '../../admin.ts';
import { messageOf } from '../../lib/errors.ts';
import { RowButton } from '../../lib/row-button.tsx';

/** Everyone may end their own sessions. */
export function EndSession({ id }: { readonly id: string }) {
  const notify = useNotify();
  const refresh = useRefresh();
  const end = async () => {
    try {
      await admin.revokeSession(id);
      notify('The session has ended.', { type: 'success' });
      refresh();
    } catch (error) {
      notify(messageOf(error), { type: 'error' });
    }
  };
  return (
    <RowButton color="error" variant="outlined" onClick={end}>
      End
    </RowButton>
  );
}

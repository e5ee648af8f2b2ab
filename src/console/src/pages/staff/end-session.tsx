import { useNotify, useRefresh } from 'react-admin';

import { admin } from '../../admin.ts';
import { messageOf } from '../../lib/errors.ts';
import { RowButton } from '../../lib/row-button.tsx';
import { useFocusNearby } from '../../lib/use-focus-nearby.ts';

/** Everyone may end their own sessions. */
export function EndSession({ id }: { readonly id: string }) {
  const notify = useNotify();
  const refresh = useRefresh();
  const button = useFocusNearby();
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
    <RowButton ref={button} color="error" variant="outlined" onClick={end}>
      End
    </RowButton>
  );
}

import type { ButtonProps } from '@mui/material/Button';
import { useState } from 'react';
import { useNotify } from 'react-admin';

import { admin } from '../../admin.ts';
import { messageOf } from '../../lib/errors.ts';
import { RowButton } from '../../lib/row-button.tsx';

interface PrintLabelProps {
  readonly labelId: string;
  readonly label?: string;
  readonly variant?: ButtonProps['variant'];
}

/** Opens the PDF of a label. Its link is fetched at the click, because the provider signs it for a limited time. */
export function PrintLabel({ labelId, label = 'Print the label', variant = 'contained' }: PrintLabelProps) {
  const [isOpening, setOpening] = useState(false);
  const notify = useNotify();
  const open = async () => {
    setOpening(true);
    // A window that was opened later than the click would be blocked.
    const tab = window.open('', '_blank');
    if (tab) tab.opener = null;
    try {
      const { url } = await admin.getLabelFile(labelId);
      (tab ?? window).location.replace(url);
    } catch (error) {
      tab?.close();
      notify(messageOf(error), { type: 'error' });
    }
    setOpening(false);
  };
  return (
    <RowButton variant={variant} onClick={open} loading={isOpening}>
      {label}
    </RowButton>
  );
}

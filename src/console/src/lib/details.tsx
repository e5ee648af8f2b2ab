import Button from '@mui/material/Button';
import Dialog, { type DialogProps } from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { type ReactNode, useId, useState } from 'react';

import { RowButton, useRetainedRow } from './row-button.tsx';

interface DetailsProps {
  /** What the button says. */
  readonly label: string;
  readonly title: string;
  readonly maxWidth: DialogProps['maxWidth'];
  readonly children: ReactNode;
}

/** A button that shows more about its row, which is read once it is opened. */
export function Details({ label, title, maxWidth, children }: DetailsProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const titleId = useId();
  useRetainedRow(isOpen);
  return (
    <>
      <RowButton onClick={() => setOpen(true)}>{label}</RowButton>
      {isOpen && (
        <Dialog open fullWidth maxWidth={maxWidth} onClose={() => setOpen(false)} aria-labelledby={titleId}>
          <DialogTitle id={titleId}>{title}</DialogTitle>
          {/* Scrolled with the keyboard, too, where nothing in it can be focused. */}
          <DialogContent tabIndex={0}>{children}</DialogContent>
          <DialogActions>
            <Button onClick={() => setOpen(false)}>Close</Button>
          </DialogActions>
        </Dialog>
      )}
    </>
  );
}

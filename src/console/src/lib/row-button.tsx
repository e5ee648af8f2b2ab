import Button, { type ButtonProps } from '@mui/material/Button';
import { createContext, type ReactNode, useContext, useEffect, useId } from 'react';

/** The id of the element that names the row. */
export const RowName = createContext<string | undefined>(undefined);

/** Retains the row until the returned function is called. */
export const RetainRow = createContext<(() => () => void) | undefined>(undefined);

/** While something of a row is open, such as a form, the row stays, also where it is no longer among those that are read. */
export function useRetainedRow(isOpen: boolean): void {
  const retain = useContext(RetainRow);
  useEffect(() => (isOpen ? retain?.() : undefined), [isOpen, retain]);
}

/** A button that may stand in each of several rows: for readers of the screen its name ends with that of its row. */
export function RowButton(props: ButtonProps): ReactNode {
  const id = useId();
  const rowName = useContext(RowName);
  return <Button size="small" id={id} aria-labelledby={rowName && `${id} ${rowName}`} {...props} />;
}

import Button, { type ButtonProps } from '@mui/material/Button';
import { createContext, type ReactNode, useContext, useId } from 'react';

/** The id of the element that names the row. */
export const RowName = createContext<string | undefined>(undefined);

/** A button that may stand in each of several rows: for readers of the screen its name ends with that of its row. */
export function RowButton(props: ButtonProps): ReactNode {
  const id = useId();
  const rowName = useContext(RowName);
  return <Button size="small" id={id} aria-labelledby={rowName && `${id} ${rowName}`} {...props} />;
}

import ArrowCircleDown from '@mui/icons-material/ArrowCircleDown';
import ArrowCircleUp from '@mui/icons-material/ArrowCircleUp';
import RemoveCircleOutlineOutlined from '@mui/icons-material/RemoveCircleOutlineOutlined';
import Button from '@mui/material/Button';
import type { MouseEvent, ReactNode } from 'react';
import {
  ArrayInput,
  type ArrayInputProps,
  IconButtonWithTooltip,
  SimpleFormIterator,
  type SimpleFormIteratorProps,
  useSimpleFormIterator,
  useSimpleFormIteratorItem,
} from 'react-admin';
import { flushSync } from 'react-dom';

import { shownDisabled } from './shown-disabled.ts';

interface ListInputProps
  extends Pick<ArrayInputProps, 'helperText' | 'validate'>,
    Pick<SimpleFormIteratorProps, 'disableReordering' | 'getItemDefaults'> {
  readonly source: string;
  readonly label: string;
  /** What one of them is, in the names of the buttons: "image" for "Remove image 2". */
  readonly item: string;
  /** What the button says that adds one. */
  readonly add: string;
  readonly sx?: Readonly<Record<string, object>>;
  /** The inputs of one of them. */
  readonly children: ReactNode;
}

/** A list of which each line has inputs, with buttons that add, move and remove one. */
export function ListInput(props: ListInputProps): ReactNode {
  const { source, label, item, add, helperText, validate, sx, children, ...iterator } = props;
  return (
    <ArrayInput source={source} label={label} helperText={helperText} validate={validate}>
      <SimpleFormIterator
        inline
        disableClear
        addButton={<AddButton label={add} />}
        removeButton={<RemoveButton item={item} />}
        reOrderButtons={<MoveButtons item={item} />}
        sx={{ ...inputsShareLine, ...sx }}
        {...iterator}
      >
        {children}
      </SimpleFormIterator>
    </ArrayInput>
  );
}

/** The inputs side by side, on as many lines as they need. */
const inputsShareLine = {
  '& .RaSimpleFormIterator-form': { flexGrow: 1, flexWrap: { sm: 'wrap' } },
  '& .RaSimpleFormIterator-form > *': { flex: { sm: '1 1 12.5rem' }, minWidth: { sm: '12.5rem' } },
  '& .RaSimpleFormIterator-action': { flexShrink: 0 },
};

function AddButton({ label }: { readonly label: string }) {
  const { add } = useSimpleFormIterator();
  return (
    <Button size="small" variant="outlined" onClick={() => add()} sx={{ my: 1 }}>
      {label}
    </Button>
  );
}

interface ItemButtonProps {
  readonly item: string;
}

/**
 * What is done with one of the list, after which the focus is at the same button of the one that is in this place then, or
 * else at the button that adds one: the one that was pressed is gone, or was moved within its page, which takes the focus.
 */
function changeAround(
  { currentTarget: button }: MouseEvent<HTMLButtonElement>,
  change: () => void,
  place: number,
): void {
  const buttonsOf = (line: Element | null | undefined) => [...(line?.querySelectorAll('button') ?? [])];
  const nth = buttonsOf(button.parentElement).indexOf(button);
  const list = button.closest('ul');
  flushSync(change);
  const line = list?.children[Math.min(place, list.children.length - 1)]?.lastElementChild;
  (buttonsOf(line)[nth] ?? buttonsOf(list?.parentElement).at(-1))?.focus();
}

function RemoveButton({ item }: ItemButtonProps) {
  const { remove, index } = useSimpleFormIteratorItem();
  const removeItem = (event: MouseEvent<HTMLButtonElement>) => changeAround(event, () => remove(), index);
  return (
    <IconButtonWithTooltip label={`Remove ${item} ${index + 1}`} size="small" color="warning" onClick={removeItem}>
      <RemoveCircleOutlineOutlined fontSize="small" />
    </IconButtonWithTooltip>
  );
}

function MoveButtons({ item }: ItemButtonProps) {
  const { index, total, reOrder } = useSimpleFormIteratorItem();
  const moveTo = (place: number) => {
    const isThere = place >= 0 && place < total;
    return {
      'aria-disabled': !isThere,
      onClick: (event: MouseEvent<HTMLButtonElement>) => isThere && changeAround(event, () => reOrder(place), place),
      sx: shownDisabled,
    };
  };
  return (
    <>
      <IconButtonWithTooltip label={`Move ${item} ${index + 1} up`} size="small" color="primary" {...moveTo(index - 1)}>
        <ArrowCircleUp fontSize="small" />
      </IconButtonWithTooltip>
      <IconButtonWithTooltip
        label={`Move ${item} ${index + 1} down`}
        size="small"
        color="primary"
        {...moveTo(index + 1)}
      >
        <ArrowCircleDown fontSize="small" />
      </IconButtonWithTooltip>
    </>
  );
}

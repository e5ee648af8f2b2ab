import ArrowCircleDown from '@mui/icons-material/ArrowCircleDown';
import ArrowCircleUp from '@mui/icons-material/ArrowCircleUp';
import RemoveCircleOutlineOutlined from '@mui/icons-material/RemoveCircleOutlineOutlined';
import Button from '@mui/material/Button';
import type { ReactNode } from 'react';
import {
  ArrayInput,
  type ArrayInputProps,
  IconButtonWithTooltip,
  SimpleFormIterator,
  type SimpleFormIteratorProps,
  useSimpleFormIterator,
  useSimpleFormIteratorItem,
} from 'react-admin';

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

function RemoveButton({ item }: ItemButtonProps) {
  const { remove, index } = useSimpleFormIteratorItem();
  return (
    <IconButtonWithTooltip label={`Remove ${item} ${index + 1}`} size="small" color="warning" onClick={() => remove()}>
      <RemoveCircleOutlineOutlined fontSize="small" />
    </IconButtonWithTooltip>
  );
}

function MoveButtons({ item }: ItemButtonProps) {
  const { index, total, reOrder } = useSimpleFormIteratorItem();
  return (
    <>
      <IconButtonWithTooltip
        label={`Move ${item} ${index + 1} up`}
        size="small"
        color="primary"
        disabled={index === 0}
        onClick={() => reOrder(index - 1)}
      >
        <ArrowCircleUp fontSize="small" />
      </IconButtonWithTooltip>
      <IconButtonWithTooltip
        label={`Move ${item} ${index + 1} down`}
        size="small"
        color="primary"
        disabled={index === total - 1}
        onClick={() => reOrder(index + 1)}
      >
        <ArrowCircleDown fontSize="small" />
      </IconButtonWithTooltip>
    </>
  );
}
